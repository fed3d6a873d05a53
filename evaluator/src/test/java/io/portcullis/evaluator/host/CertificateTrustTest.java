package io.portcullis.evaluator.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.evaluator.host.CertificateTrust.Trust;
import io.portcullis.evaluator.host.HostRequest.Certificate;
import io.portcullis.evaluator.host.HostRequest.Encoding;
import io.portcullis.evaluator.host.HostRequest.TrustQuestion;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests section 4.5 of evaluation.md, crypto: a leaf, its intermediate and its root, valid from 2026 to 2126. */
class CertificateTrustTest {

    private static final Path CERTIFICATES = Path.of("src", "test", "resources", "certificates");
    private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
    private static final String OTHER_CHAIN = "Certificate is not trusted by the provided cert chain";

    private final CertificateTrust trust = new CertificateTrust(() -> NOW);

    private Trust check(@Nullable String notAfter, String leaf, String... chain) {
        var certificates =
                List.of(chain).stream().map(CertificateTrustTest::pem).toList();
        return trust.check(new TrustQuestion(pem(leaf), certificates, notAfter), Deadline.NONE);
    }

    @Test
    void trustsAChainThatEndsInItsLastCertificate() {
        assertThat(check(null, "leaf", "int", "root")).isEqualTo(new Trust(true, ""));
        assertThat(check("", "leaf", "int", "root")).isEqualTo(new Trust(true, ""));
    }

    @Test
    void acceptsDer() {
        var question = new TrustQuestion(der("leaf"), List.of(der("int"), der("root")), null);

        assertThat(trust.check(question, Deadline.NONE)).isEqualTo(new Trust(true, ""));
    }

    @Test
    void reportsWhyACertificateIsNotTrusted() {
        assertThat(check(null, "leaf", "root")).isEqualTo(new Trust(false, OTHER_CHAIN));
        assertThat(check(null, "leaf")).isEqualTo(new Trust(false, OTHER_CHAIN));
        assertThat(check("2200-01-01T00:00:00Z", "leaf", "int", "root"))
                .isEqualTo(new Trust(false, "Certificate is being used after its expiration date"));
        assertThat(check("2020-01-01T00:00:00+02:00", "leaf", "int", "root"))
                .isEqualTo(new Trust(false, "Certificate is being used before its validity date"));
        assertThat(check(null, "int", "root"))
                .isEqualTo(new Trust(false, "Certificate not trusted: CaUsedAsEndEntity"));
    }

    @Test
    void trustsOnlyPublicRootsWithoutAChain() {
        assertThat(trust.check(new TrustQuestion(pem("leaf"), null, null), Deadline.NONE))
                .isEqualTo(new Trust(false, OTHER_CHAIN));
    }

    @Test
    void rejectsInvalidCertificatesAndTimes() {
        var valid = pem("leaf");

        assertThatThrownBy(() -> trust.check(new TrustQuestion(text(Encoding.Pem, "x"), null, null), Deadline.NONE))
                .isInstanceOf(HostCallException.class)
                .hasMessageStartingWith("Certificate PEM data is not valid: ");
        assertThatThrownBy(() -> trust.check(new TrustQuestion(text(Encoding.Der, "x"), null, null), Deadline.NONE))
                .isInstanceOf(HostCallException.class)
                .hasMessageStartingWith("Certificate is not a valid end-entity certificate: ");
        assertThatThrownBy(() ->
                        trust.check(new TrustQuestion(valid, List.of(text(Encoding.Pem, "")), null), Deadline.NONE))
                .isInstanceOf(HostCallException.class);
        assertThatThrownBy(() -> trust.check(new TrustQuestion(valid, List.of(), "yesterday"), Deadline.NONE))
                .isInstanceOf(HostCallException.class)
                .hasMessage("Timestamp not_after is not in RFC3339 format");
    }

    private static Certificate pem(String name) {
        return text(Encoding.Pem, read(name));
    }

    private static Certificate der(String name) {
        var base64 = read(name).replaceAll("-----[A-Z ]+-----|\\s", "");
        return certificate(Encoding.Der, Base64.getDecoder().decode(base64));
    }

    private static Certificate text(Encoding encoding, String text) {
        return certificate(encoding, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static Certificate certificate(Encoding encoding, byte[] bytes) {
        var numbers = new ArrayList<Integer>();
        for (byte each : bytes) {
            numbers.add(each & 0xff);
        }
        return new Certificate(encoding, numbers);
    }

    private static String read(String name) {
        try {
            return Files.readString(CERTIFICATES.resolve(name + ".pem"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void stopsThePathSearchAtTheDeadline() {
        var chain = List.of(pem("int"), pem("root"));
        var question = new TrustQuestion(pem("leaf"), chain, null);

        assertThatThrownBy(() -> trust.check(question, Deadline.after(Duration.ZERO)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    @Test
    void scansManyBeginMarkersOnlyOnce() {
        var begins = "-----BEGIN CERTIFICATE-----".repeat(30_000);

        assertThatThrownBy(() -> trust.check(new TrustQuestion(text(Encoding.Pem, begins), null, null), Deadline.NONE))
                .hasMessage("Certificate PEM data is not valid: no certificate found");
    }
}
