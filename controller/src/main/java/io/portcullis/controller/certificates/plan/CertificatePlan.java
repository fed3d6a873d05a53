package io.portcullis.controller.certificates.plan;

import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Decides what to do about certificates at a point in time. Our own certificates are replaced {@link #AHEAD} of their
 * expiry. User-provided ones are never changed, only reported.
 */
public record CertificatePlan(Instant now) {

    /** How long before its expiry a certificate is replaced. */
    static final Duration AHEAD = Duration.ofDays(60);

    private static final int DNS_NAME = 2;

    /**
     * The content of the authority's Secret.
     *
     * @param old the predecessor, trusted until its expiry
     * @param isUserProvided whether the user maintains the Secret
     */
    public record Authority(StoredCertificate current, StoredCertificate old, boolean isUserProvided) {}

    /** What to do about the authority. */
    public sealed interface AuthorityStep {

        record Keep() implements AuthorityStep {}

        /** Create an authority; the old one cannot be trusted. */
        record Issue(String reason) implements AuthorityStep {}

        /** Create an authority and keep trusting the current one. */
        record Rotate(String reason) implements AuthorityStep {}

        /** Stop trusting the predecessor. */
        record DropOld(String reason) implements AuthorityStep {}

        /** The user-provided authority is unusable, and only the user can repair it. */
        record Unusable(String problem) implements AuthorityStep {}
    }

    /**
     * The authorities that are trusted for leaf certificates.
     *
     * @param old the predecessor, still trusted
     * @param isPropagated whether all clients have had time to receive the current authority
     */
    public record Trust(X509Certificate current, Optional<X509Certificate> old, boolean isPropagated) {}

    /** What to do about a certificate that the authority signs. */
    public sealed interface LeafStep {

        record Keep() implements LeafStep {}

        /** Signed by the predecessor: replace it once the new authority has propagated. */
        record Wait() implements LeafStep {}

        record Issue(String reason) implements LeafStep {}

        /** The user-provided certificate is unusable, and only the user can repair it. */
        record Unusable(String problem) implements LeafStep {}
    }

    public AuthorityStep authority(Authority authority) {
        return authority.isUserProvided() ? userProvided(authority.current()) : managed(authority);
    }

    private AuthorityStep userProvided(StoredCertificate current) {
        return switch (current) {
            case StoredCertificate.Missing _ -> new AuthorityStep.Unusable("has no ca.crt");
            case StoredCertificate.Broken broken -> new AuthorityStep.Unusable(broken.problem());
            case StoredCertificate.Sound sound ->
                notAnAuthority(sound.certificate())
                        .or(() -> outsideValidity(sound.certificate(), now))
                        .<AuthorityStep>map(AuthorityStep.Unusable::new)
                        .orElseGet(AuthorityStep.Keep::new);
        };
    }

    private AuthorityStep managed(Authority authority) {
        return switch (authority.current()) {
            case StoredCertificate.Missing _ -> new AuthorityStep.Issue("there is none");
            case StoredCertificate.Broken broken -> replace(broken.certificate(), broken.problem());
            case StoredCertificate.Sound sound ->
                notAnAuthority(sound.certificate())
                        .<AuthorityStep>map(AuthorityStep.Issue::new)
                        .or(() -> outsideValidity(sound.certificate(), now.plus(AHEAD))
                                .or(() -> outsideValidity(sound.certificate(), now))
                                .map(problem -> replace(Optional.of(sound.certificate()), problem)))
                        .orElseGet(() -> predecessor(authority.old(), sound.certificate()));
        };
    }

    /** A certificate that is still valid stays trusted beside the new one. */
    private AuthorityStep replace(Optional<X509Certificate> present, String reason) {
        boolean isTrusted = present.filter(
                        certificate -> notAnAuthority(certificate).isEmpty())
                .filter(certificate -> !now.isAfter(certificate.getNotAfter().toInstant()))
                .isPresent();
        return isTrusted ? new AuthorityStep.Rotate(reason) : new AuthorityStep.Issue(reason);
    }

    private AuthorityStep predecessor(StoredCertificate old, X509Certificate current) {
        return switch (old) {
            case StoredCertificate.Missing _ -> new AuthorityStep.Keep();
            case StoredCertificate.Broken broken -> new AuthorityStep.DropOld(broken.problem());
            case StoredCertificate.Sound sound -> {
                if (sound.certificate().equals(current)) {
                    yield new AuthorityStep.DropOld("is the present one");
                }
                yield now.isAfter(sound.certificate().getNotAfter().toInstant())
                        ? new AuthorityStep.DropOld("has expired")
                        : new AuthorityStep.Keep();
            }
        };
    }

    /** @param isUserProvided whether the user maintains the Secret */
    public LeafStep leaf(StoredCertificate stored, boolean isUserProvided, LeafRequest wanted, Trust trust) {
        var problem = problem(stored, wanted, trust);
        if (isUserProvided) {
            return problem.<LeafStep>map(LeafStep.Unusable::new).orElseGet(LeafStep.Keep::new);
        }
        if (problem.isPresent() || !(stored instanceof StoredCertificate.Sound sound)) {
            return new LeafStep.Issue(problem.orElse("is missing"));
        }
        var ending = outsideValidity(sound.certificate(), now.plus(AHEAD));
        if (ending.isPresent()) {
            return new LeafStep.Issue(ending.get());
        }
        if (isSignedBy(sound.chain(), trust.current())) {
            return new LeafStep.Keep();
        }
        return trust.isPropagated() ? new LeafStep.Issue("the authority has changed") : new LeafStep.Wait();
    }

    /** Why clients should not, or would not, accept the certificate now. */
    private Optional<String> problem(StoredCertificate stored, LeafRequest wanted, Trust trust) {
        return switch (stored) {
            case StoredCertificate.Missing _ -> Optional.of("is missing");
            case StoredCertificate.Broken broken -> Optional.of(broken.problem());
            case StoredCertificate.Sound sound ->
                outsideValidity(sound.certificate(), now)
                        .or(() -> unsuitable(sound.certificate(), wanted))
                        .or(() -> untrusted(sound.chain(), trust));
        };
    }

    private static Optional<String> untrusted(List<X509Certificate> chain, Trust trust) {
        boolean isTrusted = isSignedBy(chain, trust.current())
                || trust.old().filter(old -> isSignedBy(chain, old)).isPresent();
        return isTrusted ? Optional.empty() : Optional.of("is not signed by the authority");
    }

    private static Optional<String> unsuitable(X509Certificate certificate, LeafRequest wanted) {
        try {
            var names = Optional.ofNullable(certificate.getSubjectAlternativeNames()).stream()
                    .flatMap(Collection::stream)
                    .filter(name -> Objects.equals(name.get(0), DNS_NAME))
                    .map(name -> String.valueOf(name.get(1)))
                    .collect(Collectors.toSet());
            var usages = Optional.ofNullable(certificate.getExtendedKeyUsage()).orElse(List.of());
            return wanted.dnsNames().stream()
                    .filter(name -> !names.contains(name))
                    .findFirst()
                    .map(name -> "is not valid for " + name)
                    .or(() -> usages.containsAll(wanted.usage().identifiers())
                            ? Optional.empty()
                            : Optional.of("is not meant for this use"));
        } catch (CertificateParsingException e) {
            return Optional.of("cannot be read: " + e.getMessage());
        }
    }

    private static Optional<String> notAnAuthority(X509Certificate certificate) {
        return certificate.getBasicConstraints() < 0
                ? Optional.of("is not the certificate of an authority")
                : Optional.empty();
    }

    /** A certificate is valid up to and including both ends. */
    private Optional<String> outsideValidity(X509Certificate certificate, Instant then) {
        if (then.isBefore(certificate.getNotBefore().toInstant())) {
            return Optional.of(
                    "is not valid before " + certificate.getNotBefore().toInstant());
        }
        var end = certificate.getNotAfter().toInstant();
        if (now.isAfter(end)) {
            return Optional.of("has expired");
        }
        return then.isAfter(end) ? Optional.of("ends on " + end) : Optional.empty();
    }

    private static boolean isSignedBy(List<X509Certificate> chain, X509Certificate authority) {
        return chain.stream().anyMatch(certificate -> isSignedBy(certificate, authority));
    }

    private static boolean isSignedBy(X509Certificate certificate, X509Certificate authority) {
        try {
            certificate.verify(authority.getPublicKey());
            return certificate.getIssuerX500Principal().equals(authority.getSubjectX500Principal());
        } catch (GeneralSecurityException e) {
            return false;
        }
    }
}
