package io.portcullis.artifacts.verify.keyless;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.verify.signature.SigstoreBundle;
import io.portcullis.artifacts.verify.signature.SimpleSigning;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import java.security.KeyPair;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.Optional;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Tests every link of the chain (see the diagram of the package): accepts the complete chain, rejects each broken
 * link.
 */
class KeylessTest {

    private final SigstoreFixture sigstore = new SigstoreFixture();
    private final Keyless keyless = new Keyless(sigstore.trustRoot());
    private final KeylessRecipe recipe = new KeylessRecipe(sigstore, SigstoreFixture.WORKFLOW);
    private final TestCa.Identity otherSigner = sigstore.certificate(SigstoreFixture.WORKFLOW);

    @Test
    void acceptsACompleteChain() throws UntrustedException {
        var signer = keyless.signer(recipe.candidate());

        assertThat(signer.subject()).isEqualTo(SigstoreFixture.WORKFLOW.subject());
        assertThat(signer.issuer()).isEqualTo(SigstoreFixture.WORKFLOW.issuer());
        assertThat(signer.repository()).hasValue("kubewarden/policy");
    }

    @Test
    void refusesAPayloadAboutAnotherImage() {
        recipe.payload = KeylessRecipe.payload("sha256:" + "cd".repeat(32));

        assertThatThrownBy(recipe::candidate).hasMessageContaining("the payload is about");
    }

    /** Kubewarden accepts this signature: all parts are genuine, but copied. */
    @Test
    void refusesAForgedPayloadWithTheCertificateAndLogEntryOfAGenuineOne() {
        recipe.signedPayload = KeylessRecipe.payload("sha256:" + "cd".repeat(32));
        recipe.loggedPayload = recipe.signedPayload;

        assertRefused("the signature is not by the key of its certificate");
    }

    @Test
    void refusesASignatureByAnotherKeyThanTheCertificates() {
        recipe.presented = otherSigner;

        assertRefused("the signature is not by the key of its certificate");
    }

    @Test
    void refusesALogEntryAboutOtherContent() {
        recipe.loggedPayload = KeylessRecipe.payload("sha256:" + "cd".repeat(32));

        assertRefused("the log entry is about other content");
    }

    @Test
    void refusesALogEntryAboutAnotherSignature() {
        recipe.loggedSignature = Optional.of(new byte[] {1, 2, 3});

        assertRefused("the log entry is about another signature");
    }

    @Test
    void refusesALogEntryAboutAnotherSigner() {
        recipe.loggedSigner = otherSigner;

        assertRefused("the log entry is about another signer");
    }

    @Test
    void refusesALogEntryThatTheLogDidNotSign() {
        recipe.log = TestCa.newKeys();

        assertRefused("the log did not sign this entry");
    }

    @Test
    void refusesALogEntryWhoseTimeWasChanged() {
        recipe.promisedTime = sigstore.now.minusSeconds(1);

        assertRefused("the log did not sign this entry");
    }

    @Test
    void refusesASignatureMadeAfterTheCertificateExpired() {
        recipe.loggedAt = sigstore.now.plus(Duration.ofHours(1));
        recipe.promisedTime = recipe.loggedAt;

        assertRefused("outside the life of its certificate");
    }

    @Test
    void refusesASignatureWithoutLogEntry() {
        var annotations = new HashMap<>(recipe.annotations());
        annotations.remove("dev.sigstore.cosign/bundle");

        assertThatThrownBy(() -> keyless.signer(SimpleSigning.read(recipe.layer(), annotations, KeylessRecipe.DIGEST)))
                .hasMessageContaining("the signature is not logged");
    }

    @Test
    void refusesASignatureWithoutCertificate() {
        var annotations = new HashMap<>(recipe.annotations());
        annotations.remove("dev.sigstore.cosign/certificate");

        assertThatThrownBy(() -> keyless.signer(SimpleSigning.read(recipe.layer(), annotations, KeylessRecipe.DIGEST)))
                .hasMessageContaining("without a certificate");
    }

    @Test
    void refusesACertificateOfAForeignAuthority() {
        recipe.by(new SigstoreFixture().certificate(SigstoreFixture.WORKFLOW));

        assertRefused("the certificate is not by a trusted authority");
    }

    @Test
    void refusesACertificateThatIsNotForSigningCode() {
        recipe.by(sigstore.certificate(
                SigstoreFixture.WORKFLOW, Optional.of(sigstore.certificateLog), KeyPurposeId.id_kp_serverAuth));

        assertRefused("not for signing code");
    }

    @Test
    void refusesACertificateWithoutStamp() {
        recipe.by(sigstore.certificate(SigstoreFixture.WORKFLOW, Optional.empty(), KeyPurposeId.id_kp_codeSigning));

        assertRefused("not stamped by a certificate log");
    }

    @Test
    void refusesACertificateStampedByAnUnknownLog() {
        recipe.by(sigstore.certificate(
                SigstoreFixture.WORKFLOW, Optional.of(TestCa.newKeys()), KeyPurposeId.id_kp_codeSigning));

        assertRefused("no known certificate log");
    }

    @Test
    void refusesACertificateWhoseStampIsForAnotherCertificate() {
        var pretender = new KeyPair(
                sigstore.certificateLog.getPublic(), TestCa.newKeys().getPrivate());
        recipe.by(
                sigstore.certificate(SigstoreFixture.WORKFLOW, Optional.of(pretender), KeyPurposeId.id_kp_codeSigning));

        assertRefused("no known certificate log");
    }

    private void assertRefused(String why) {
        assertThatThrownBy(() -> keyless.signer(recipe.candidate()))
                .isInstanceOf(UntrustedException.class)
                .hasMessageContaining(why);
    }

    /** Tests the newer format: DSSE, inclusion proof, time from a timestamp authority. */
    @Nested
    class InABundle {

        private final byte[] statement = KeylessRecipe.statement(KeylessRecipe.DIGEST);
        private final KeylessRecipe.BundleOptions good = KeylessRecipe.BundleOptions.good(sigstore);

        @Test
        void acceptsACompleteChain() throws UntrustedException {
            assertThat(signer(good).subject()).isEqualTo(SigstoreFixture.WORKFLOW.subject());
        }

        @Test
        void refusesAStatementAboutAnotherImage() {
            var bundle = recipe.bundle(KeylessRecipe.statement("sha256:" + "cd".repeat(32)), good);

            assertThatThrownBy(() -> SigstoreBundle.read(bundle, KeylessRecipe.DIGEST))
                    .hasMessageContaining("the statement is not about");
        }

        @Test
        void refusesAnAttestation() {
            var text = new String(statement, UTF_8)
                    .replace("https://sigstore.dev/cosign/sign/v1", "https://slsa.dev/provenance/v1");
            var bundle = recipe.bundle(text.getBytes(UTF_8), good);

            assertThatThrownBy(() -> SigstoreBundle.read(bundle, KeylessRecipe.DIGEST))
                    .hasMessageContaining("attestation");
        }

        @Test
        void refusesASignatureOverTheBarePayload() {
            var bundle = new String(recipe.bundle(statement, good), UTF_8);
            var bare = Base64.getEncoder().encodeToString(SigstoreFixture.sign(recipe.signer.keys(), statement));
            var forged = bundle.replaceFirst("\"sig\":\"[^\"]+\"", "\"sig\":\"" + bare + "\"")
                    .getBytes(UTF_8);

            assertThatThrownBy(() -> keyless.signer(SigstoreBundle.read(forged, KeylessRecipe.DIGEST)))
                    .hasMessageContaining("not by the key of its certificate");
        }

        @Test
        void refusesALogEntryAboutOtherContent() {
            assertRefused(good.loggedAs(new byte[] {1}), "about other content");
        }

        @Test
        void refusesAProofForAnotherIndex() {
            assertRefused(good.atIndex(3), "proof of inclusion");
        }

        @Test
        void refusesACheckpointThatTheLogDidNotSign() {
            assertRefused(good.checkpointBy(TestCa.newKeys()), "did not sign this checkpoint");
        }

        @Test
        void refusesASignatureWithoutTrustedTime() {
            assertRefused(good.withoutStamp(), "nothing trusted says when");
        }

        @Test
        void refusesAStampForAnotherSignature() {
            assertRefused(good.stampOver(new byte[] {1}), "the time stamp is for another signature");
        }

        @Test
        void refusesAStampOfAnUnknownAuthority() {
            assertRefused(good.stampedBy(new SigstoreFixture().stamper), "not by a known authority");
        }

        private Signer signer(KeylessRecipe.BundleOptions options) throws UntrustedException {
            return keyless.signer(SigstoreBundle.read(recipe.bundle(statement, options), KeylessRecipe.DIGEST));
        }

        private void assertRefused(KeylessRecipe.BundleOptions options, String why) {
            assertThatThrownBy(() -> signer(options))
                    .isInstanceOf(UntrustedException.class)
                    .hasMessageContaining(why);
        }
    }
}
