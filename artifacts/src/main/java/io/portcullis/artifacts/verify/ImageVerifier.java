package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.verify.keyless.Keyless;
import io.portcullis.artifacts.verify.signature.SignatureFinder;
import io.portcullis.artifacts.verify.trust.TrustRootSource;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Verifies the signatures of images. Thread-safe. */
public final class ImageVerifier {

    private static final Logger log = LoggerFactory.getLogger(ImageVerifier.class);

    private final RegistryClient registry;
    private final SignatureFinder finder;
    private final TrustRootSource trustRoots;
    private final Clock clock;

    public ImageVerifier(RegistryClient registry, TrustRootSource trustRoots, Clock clock) {
        this.registry = registry;
        this.finder = new SignatureFinder(registry);
        this.trustRoots = trustRoots;
        this.clock = clock;
    }

    /**
     * @return the digest that carries the required signatures; use this digest and not the tag
     * @throws ArtifactException {@code SIGNATURE} if signatures are missing, {@code TRUST_ROOT} if the check was not
     *     possible
     */
    public String verify(ImageReference image, VerificationConfig config) {
        var digest = registry.digest(image);
        var candidates = finder.find(image, digest);
        Optional<ArtifactException> noTrustRoot = Optional.empty();
        Optional<Keyless> keyless = Optional.empty();
        if (needsTrustRoot(config)) {
            try {
                keyless = Optional.of(new Keyless(trustRoots.get()));
            } catch (ArtifactException e) {
                noTrustRoot = Optional.of(e);
            }
        }
        var failure = unsatisfiedMessage(config, new ConstraintCheck(candidates, keyless, clock));
        if (failure.isPresent()) {
            // Without a trust root, unsatisfied constraints are inconclusive.
            throw noTrustRoot.orElse(new ArtifactException(Reason.SIGNATURE, failure.get()));
        }
        log.atInfo().addKeyValue("image", image).addKeyValue("digest", digest).log("signatures verified");
        return digest;
    }

    private static boolean needsTrustRoot(VerificationConfig config) {
        return Stream.concat(config.allOf().stream(), config.anyOf().stream().flatMap(any -> any.signatures().stream()))
                .anyMatch(SignatureConstraint::needsTrustRoot);
    }

    private static Optional<String> unsatisfiedMessage(VerificationConfig config, ConstraintCheck check) {
        var missing = unsatisfied(config.allOf(), check);
        if (!missing.isEmpty()) {
            return Optional.of(UnsatisfiedConstraints.allOf(missing));
        }
        if (config.anyOf().isEmpty()) {
            return Optional.empty();
        }
        var any = config.anyOf().get();
        var others = unsatisfied(any.signatures(), check);
        int matches = any.signatures().size() - others.size();
        return matches >= any.minimumMatches()
                ? Optional.empty()
                : Optional.of(UnsatisfiedConstraints.anyOf(any.minimumMatches(), matches, others));
    }

    private static List<SignatureConstraint> unsatisfied(List<SignatureConstraint> constraints, ConstraintCheck check) {
        var unsatisfied = new ArrayList<SignatureConstraint>();
        for (var constraint : constraints) {
            var objections = check.objections(constraint);
            if (!objections.isEmpty()) {
                unsatisfied.add(constraint);
                log.atDebug().addKeyValue("error", objections).log("constraint is not satisfied by any signature");
            }
        }
        return unsatisfied;
    }
}
