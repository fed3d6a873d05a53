package io.portcullis.controller.certificates.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.portcullis.controller.certificates.plan.CertificatePlan.Authority;
import io.portcullis.controller.certificates.plan.CertificatePlan.AuthorityStep;
import io.portcullis.controller.certificates.plan.CertificatePlan.LeafStep;
import io.portcullis.controller.certificates.plan.CertificatePlan.Trust;
import io.portcullis.process.tls.Identity;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests every boundary in the lifetime of a certificate, to the second. */
class CertificatePlanTest {

    private static final Instant MADE = Instant.parse("2030-01-01T00:00:00Z");
    private static final Duration SECOND = Duration.ofSeconds(1);

    private static final Instant BEGIN = MADE.minus(CertificateMaker.BACKDATED);
    private static final Instant CA_END = MADE.plus(CertificateMaker.AUTHORITY_LIFETIME);
    private static final Instant LEAF_END = MADE.plus(CertificateMaker.LEAF_LIFETIME);

    private static final CertificateMaker MAKER =
            new CertificateMaker(Clock.fixed(MADE, ZoneOffset.UTC), new SecureRandom());
    private static final Identity CA = authority();
    private static final Identity OTHER_CA = authority();
    private static final LeafRequest WANTED =
            new LeafRequest("server", List.of("a.ns.svc", "b.ns.svc"), LeafRequest.Usage.TLS);
    private static final Identity LEAF = leaf(WANTED, CA);

    private static final StoredCertificate NONE = new StoredCertificate.Missing();

    private static Identity authority() {
        var made = MAKER.authority();
        return Identity.parse("test", made.certificatePem(), made.keyPem());
    }

    private static Identity leaf(LeafRequest request, Identity authority) {
        var made = MAKER.leaf(request, authority);
        return Identity.parse("test", made.certificatePem(), made.keyPem());
    }

    private static StoredCertificate sound(Identity identity) {
        return new StoredCertificate.Sound(identity.chain());
    }

    private static AuthorityStep keep() {
        return new AuthorityStep.Keep();
    }

    static Stream<Arguments> authorities() {
        var current = sound(CA);
        var old = sound(OTHER_CA);
        var renewalTime = CA_END.minus(CertificatePlan.AHEAD);
        var notACa = sound(LEAF);
        return Stream.of(
                arguments("none", MADE, NONE, NONE, new AuthorityStep.Issue("there is none")),
                arguments("fresh", MADE, current, NONE, keep()),
                arguments("its first second", BEGIN, current, NONE, keep()),
                arguments(
                        "not valid yet",
                        BEGIN.minus(SECOND),
                        current,
                        NONE,
                        new AuthorityStep.Rotate("is not valid before " + BEGIN)),
                arguments("60 days before its end", renewalTime, current, NONE, keep()),
                arguments(
                        "a second later",
                        renewalTime.plus(SECOND),
                        current,
                        NONE,
                        new AuthorityStep.Rotate("ends on " + CA_END)),
                arguments("its last second", CA_END, current, NONE, new AuthorityStep.Rotate("ends on " + CA_END)),
                arguments("expired", CA_END.plus(SECOND), current, NONE, new AuthorityStep.Issue("has expired")),
                arguments(
                        "key lost",
                        MADE,
                        new StoredCertificate.Broken("has a foreign key", Optional.of(CA.certificate())),
                        NONE,
                        new AuthorityStep.Rotate("has a foreign key")),
                arguments(
                        "key lost and expired",
                        CA_END.plus(SECOND),
                        new StoredCertificate.Broken("has a foreign key", Optional.of(CA.certificate())),
                        NONE,
                        new AuthorityStep.Issue("has a foreign key")),
                arguments(
                        "garbage",
                        MADE,
                        new StoredCertificate.Broken("is garbage", Optional.empty()),
                        NONE,
                        new AuthorityStep.Issue("is garbage")),
                arguments(
                        "not an authority",
                        MADE,
                        notACa,
                        NONE,
                        new AuthorityStep.Issue("is not the certificate of an authority")),
                arguments("old still good", MADE, current, old, keep()),
                arguments(
                        "old is garbage",
                        MADE,
                        current,
                        new StoredCertificate.Broken("is garbage", Optional.empty()),
                        new AuthorityStep.DropOld("is garbage")),
                arguments("old is the same", MADE, current, current, new AuthorityStep.DropOld("is the present one")),
                arguments(
                        "rotation comes before an old one is dropped",
                        renewalTime.plus(SECOND),
                        current,
                        new StoredCertificate.Broken("is garbage", Optional.empty()),
                        new AuthorityStep.Rotate("ends on " + CA_END)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("authorities")
    void authority(String name, Instant now, StoredCertificate current, StoredCertificate old, AuthorityStep expected) {
        assertThat(new CertificatePlan(now).authority(new Authority(current, old, false)))
                .isEqualTo(expected);
    }

    @Test
    void trustsTheOldAuthorityUntilItsLastSecond() {
        var later =
                new CertificateMaker(Clock.fixed(CA_END.minus(Duration.ofDays(1)), ZoneOffset.UTC), new SecureRandom());
        var made = later.authority();
        var current = sound(Identity.parse("test", made.certificatePem(), made.keyPem()));
        var authority = new Authority(current, sound(CA), false);

        assertThat(new CertificatePlan(CA_END).authority(authority)).isEqualTo(keep());
        assertThat(new CertificatePlan(CA_END.plus(SECOND)).authority(authority))
                .isEqualTo(new AuthorityStep.DropOld("has expired"));
    }

    static Stream<Arguments> userProvidedAuthorities() {
        return Stream.of(
                arguments("empty", MADE, NONE, new AuthorityStep.Unusable("has no ca.crt")),
                arguments(
                        "garbage",
                        MADE,
                        new StoredCertificate.Broken("is garbage", Optional.empty()),
                        new AuthorityStep.Unusable("is garbage")),
                arguments("good to its last second", CA_END, sound(CA), keep()),
                arguments("expired", CA_END.plus(SECOND), sound(CA), new AuthorityStep.Unusable("has expired")),
                arguments(
                        "not an authority",
                        MADE,
                        sound(LEAF),
                        new AuthorityStep.Unusable("is not the certificate of an authority")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("userProvidedAuthorities")
    void neverReplacesAUserProvidedAuthority(
            String name, Instant now, StoredCertificate current, AuthorityStep expected) {
        assertThat(new CertificatePlan(now).authority(new Authority(current, NONE, true)))
                .isEqualTo(expected);
    }

    private static Trust trust(Identity current, Optional<X509Certificate> old, boolean isTrustedEverywhere) {
        return new Trust(current.certificate(), old, isTrustedEverywhere);
    }

    static Stream<Arguments> leaves() {
        var now = trust(CA, Optional.empty(), true);
        var old = Optional.of(CA.certificate());
        var renewalTime = LEAF_END.minus(CertificatePlan.AHEAD);
        var otherName = new LeafRequest("server", List.of("a.ns.svc"), LeafRequest.Usage.TLS);
        var otherUse = new LeafRequest("server", WANTED.dnsNames(), LeafRequest.Usage.CODE_SIGNING);
        return Stream.of(
                arguments("none", MADE, NONE, now, new LeafStep.Issue("is missing")),
                arguments(
                        "garbage",
                        MADE,
                        new StoredCertificate.Broken("is garbage", Optional.empty()),
                        now,
                        new LeafStep.Issue("is garbage")),
                arguments("fresh", MADE, sound(LEAF), now, new LeafStep.Keep()),
                arguments("60 days before its end", renewalTime, sound(LEAF), now, new LeafStep.Keep()),
                arguments(
                        "a second later",
                        renewalTime.plus(SECOND),
                        sound(LEAF),
                        now,
                        new LeafStep.Issue("ends on " + LEAF_END)),
                arguments("expired", LEAF_END.plus(SECOND), sound(LEAF), now, new LeafStep.Issue("has expired")),
                arguments(
                        "not valid yet",
                        BEGIN.minus(SECOND),
                        sound(LEAF),
                        now,
                        new LeafStep.Issue("is not valid before " + BEGIN)),
                arguments(
                        "a name is missing",
                        MADE,
                        sound(leaf(otherName, CA)),
                        now,
                        new LeafStep.Issue("is not valid for b.ns.svc")),
                arguments(
                        "for another use",
                        MADE,
                        sound(leaf(otherUse, CA)),
                        now,
                        new LeafStep.Issue("is not meant for this use")),
                arguments(
                        "signed by a stranger of the same name",
                        MADE,
                        sound(leaf(WANTED, OTHER_CA)),
                        now,
                        new LeafStep.Issue("is not signed by the authority")),
                arguments(
                        "signed by the predecessor, the new authority is not yet trusted everywhere",
                        MADE,
                        sound(LEAF),
                        trust(OTHER_CA, old, false),
                        new LeafStep.Wait()),
                arguments(
                        "signed by the predecessor, the new authority is trusted everywhere",
                        MADE,
                        sound(LEAF),
                        trust(OTHER_CA, old, true),
                        new LeafStep.Issue("the authority has changed")),
                arguments(
                        "waiting ends before the certificate does",
                        renewalTime.plus(SECOND),
                        sound(LEAF),
                        trust(OTHER_CA, old, false),
                        new LeafStep.Issue("ends on " + LEAF_END)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("leaves")
    void leaf(String name, Instant now, StoredCertificate stored, Trust trust, LeafStep expected) {
        assertThat(new CertificatePlan(now).leaf(stored, false, WANTED, trust)).isEqualTo(expected);
    }

    @Test
    void onlyReportsProblemsOfAUserProvidedLeaf() {
        var trust = trust(CA, Optional.empty(), true);

        assertThat(new CertificatePlan(LEAF_END).leaf(sound(LEAF), true, WANTED, trust))
                .isEqualTo(new LeafStep.Keep());
        assertThat(new CertificatePlan(LEAF_END.plus(SECOND)).leaf(sound(LEAF), true, WANTED, trust))
                .isEqualTo(new LeafStep.Unusable("has expired"));
        assertThat(new CertificatePlan(MADE).leaf(NONE, true, WANTED, trust))
                .isEqualTo(new LeafStep.Unusable("is missing"));
    }

    @Test
    void acceptsAUserProvidedLeafFromAnIntermediateCa() {
        var chain = List.of(leaf(WANTED, OTHER_CA).certificate(), LEAF.certificate());

        assertThat(new CertificatePlan(MADE)
                        .leaf(new StoredCertificate.Sound(chain), true, WANTED, trust(CA, Optional.empty(), true)))
                .isEqualTo(new LeafStep.Keep());
    }

    @Test
    void createsCertificatesInTheExpectedFormat() throws Exception {
        var made = MAKER.leaf(WANTED, CA);

        assertThat(made.keyPem()).startsWith("-----BEGIN EC PRIVATE KEY-----");
        assertThat(LEAF.certificate().getPublicKey().getAlgorithm()).isEqualTo("EC");
        assertThat(LEAF.certificate().getSerialNumber().bitLength()).isEqualTo(128);
        assertThat(LEAF.certificate().getBasicConstraints()).isEqualTo(-1);
        assertThat(CA.certificate().getBasicConstraints()).isNotNegative();
        assertThat(CA.certificate().getKeyUsage()[5]).as("keyCertSign").isTrue();
        assertThat(made.toString()).doesNotContain("PRIVATE");
    }
}
