package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.util.List;
import java.util.Optional;

/** The signatures that an image must have: all of one list, and a minimum number of another. */
public record VerificationConfig(List<SignatureConstraint> allOf, Optional<AnyOf> anyOf) {

    /** @param minimumMatches counts list entries, not distinct signers */
    public record AnyOf(int minimumMatches, List<SignatureConstraint> signatures) {
        public AnyOf {
            signatures = List.copyOf(signatures);
        }
    }

    public VerificationConfig {
        allOf = List.copyOf(allOf);
        if (allOf.isEmpty() && anyOf.isEmpty()) {
            throw new ArtifactException(
                    Reason.INVALID_REFERENCE, "config is missing signatures in both allOf and anyOff list");
        }
    }

    public static VerificationConfig allOf(List<SignatureConstraint> signatures) {
        return new VerificationConfig(signatures, Optional.empty());
    }
}
