package io.portcullis.artifacts.cache;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.cache.CachedFile.Original;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.testing.TestCa;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;

class RecentChecksTest {

    private static final String SERVER = "policy-server-default";
    private static final CacheKey KEY =
            CacheKey.of("registry://registry.example.com/policies/p:v1", Digest.sha256(new byte[] {1}));
    private static final Statement STATEMENT = new Statement(KEY, new Original(), Digest.sha256(new byte[] {1}));

    private final Instant now = Instant.now();
    private final TestCa ca = TestCa.create("internal CA");
    private final CacheTrust trust = new CacheTrust(List.of(ca.certificate()), SERVER);
    private final TestCa.Identity signer = ca.issue(
            SERVER,
            TestCa.newKeys(),
            now.minus(Duration.ofDays(1)),
            now.plus(Duration.ofSeconds(10)),
            builder -> TestCa.add(
                    builder, Extension.extendedKeyUsage, false, new ExtendedKeyUsage(KeyPurposeId.id_kp_codeSigning)));
    private final byte[] signature = DetachedSignature.over(
                    STATEMENT.bytes(),
                    new SigningIdentity(signer.certificate(), signer.keys().getPrivate()))
            .bytes();
    private final RecentChecks checks = new RecentChecks();

    @Test
    void skipsRecentChecksButOnlyForOneMinute() {
        assertThatCode(() -> checks.check(signature, STATEMENT, trust, now)).doesNotThrowAnyException();

        assertThatCode(() -> checks.check(signature, STATEMENT, trust, now.plusSeconds(59)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> checks.check(signature, STATEMENT, trust, now.plusSeconds(61)))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("expired");
    }

    @Test
    void repeatsTheCheckForOtherBytesSignaturesOrTrust() throws Exception {
        checks.check(signature, STATEMENT, trust, now);

        var otherBytes = new Statement(KEY, new Original(), Digest.sha256(new byte[] {2}));
        assertThatThrownBy(() -> checks.check(signature, otherBytes, trust, now))
                .isInstanceOf(GeneralSecurityException.class);
        var otherSignature = signature.clone();
        otherSignature[10] = (byte) (signature[10] == 'A' ? 'B' : 'A');
        assertThatThrownBy(() -> checks.check(otherSignature, STATEMENT, trust, now))
                .isInstanceOf(GeneralSecurityException.class);
        var otherTrust = new CacheTrust(List.of(TestCa.create("internal CA").certificate()), SERVER);
        assertThatThrownBy(() -> checks.check(signature, STATEMENT, otherTrust, now))
                .isInstanceOf(GeneralSecurityException.class);
    }
}
