package io.portcullis.artifacts.verify;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.fuzz.Inputs;

/** Verification configs: an ArtifactException, or a config with at least one requirement. */
public final class VerificationConfigFuzz {

    private VerificationConfigFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var config = VerificationConfigFile.parse(Inputs.text(input));
            Inputs.check(
                    !config.allOf().isEmpty() || config.anyOf().isPresent(),
                    "a config without requirements is rejected");
        } catch (ArtifactException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
