package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.verify.keyless.Keyless;
import io.portcullis.artifacts.verify.keyless.Signer;
import io.portcullis.artifacts.verify.signature.Candidate;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.CertificateChain;
import io.portcullis.artifacts.verify.trust.SignatureKeys;
import java.security.GeneralSecurityException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks the signatures of one image against constraints, and reports for each signature why it does not match. */
final class ConstraintCheck {

    private static final Pattern GITHUB_SUBJECT = Pattern.compile("https://github\\.com/.*");

    private final List<Candidate> candidates;
    private final Optional<Keyless> keyless;
    private final Clock clock;

    /** @param keyless absent without a trust root; then no keyless constraint is satisfied */
    ConstraintCheck(List<Candidate> candidates, Optional<Keyless> keyless, Clock clock) {
        this.candidates = List.copyOf(candidates);
        this.keyless = keyless;
        this.clock = clock;
    }

    /** @return empty if a signature satisfies the constraint, otherwise the failure of each signature */
    List<String> objections(SignatureConstraint constraint) {
        var objections = new ArrayList<String>();
        for (var candidate : candidates) {
            try {
                check(constraint, candidate);
                return List.of();
            } catch (UntrustedException e) {
                objections.add(String.valueOf(e.getMessage()));
            }
        }
        return objections;
    }

    private void check(SignatureConstraint constraint, Candidate candidate) throws UntrustedException {
        switch (constraint) {
            case SignatureConstraint.PubKey(var _, var key, var _, var _) ->
                require(
                        SignatureKeys.verifies(key, candidate.signed(), candidate.signature()),
                        "the signature is not by this key");
            case SignatureConstraint.GenericIssuer(var issuer, var subject, var _) -> {
                var signer = signer(candidate);
                require(signer.issuer().equals(issuer), "the identity was issued by " + signer.issuer());
                require(subject.accepts(signer.subject()), "the signer is " + signer.subject());
            }
            case SignatureConstraint.GithubAction action -> checkGithub(action, signer(candidate));
            case SignatureConstraint.Certificate certificate -> checkCertificate(certificate, candidate);
        }
        checkAnnotations(constraint.annotations(), candidate.annotations());
    }

    private Signer signer(Candidate candidate) throws UntrustedException {
        return keyless.orElseThrow(() -> new UntrustedException("there is no trust root to check it with"))
                .signer(candidate);
    }

    private static void checkGithub(SignatureConstraint.GithubAction action, Signer signer) throws UntrustedException {
        require(
                signer.issuer().equals(SignatureConstraint.GithubAction.ISSUER),
                "the identity was issued by " + signer.issuer());
        require(GITHUB_SUBJECT.matcher(signer.subject()).matches(), "the signer is " + signer.subject());
        var repository = signer.repository().orElse("").split("/", 2);
        require(repository.length == 2 && repository[0].equals(action.owner()), "the workflow is of another owner");
        require(action.repo().orElse(repository[1]).equals(repository[1]), "the workflow is of another repository");
    }

    private void checkCertificate(SignatureConstraint.Certificate wanted, Candidate candidate)
            throws UntrustedException {
        var certificate = wanted.certificate();
        Keyless.checkSignature(candidate, certificate);
        Instant time = clock.instant();
        if (wanted.requireRekorBundle()) {
            time = keyless.orElseThrow(
                            () -> new UntrustedException("there is no trust root to check its log entry with"))
                    .time(candidate, certificate);
        }
        if (!wanted.chain().isEmpty()) {
            try {
                CertificateChain.issuer(certificate, Set.copyOf(wanted.chain()), List.of(), time);
            } catch (GeneralSecurityException e) {
                throw new UntrustedException("the certificate is not by the given chain", e);
            }
        }
    }

    private static void checkAnnotations(Map<String, String> wanted, Map<String, String> signed)
            throws UntrustedException {
        for (var each : wanted.entrySet()) {
            require(
                    each.getValue().equals(signed.get(each.getKey())),
                    "annotation " + each.getKey() + " is missing or different");
        }
    }

    private static void require(boolean condition, String otherwise) throws UntrustedException {
        if (!condition) {
            throw new UntrustedException(otherwise);
        }
    }
}
