package io.portcullis.artifacts.verify.trust;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.fuzz.Inputs;

/** Trust roots: an ArtifactException, or a trust root. */
public final class TrustRootFuzz {

    private TrustRootFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            TrustRoot.parse(input);
        } catch (ArtifactException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
