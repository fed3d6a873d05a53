package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import io.portcullis.fuzz.Inputs;
import java.util.List;

/** RFC 3161 tokens: without a trusted authority always an UntrustedException. */
public final class TimestampTokenFuzz {

    private static final TrustRoot EMPTY = new TrustRoot(List.of(), List.of(), List.of(), List.of());

    private TimestampTokenFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            new TimestampToken(EMPTY).check(input, new byte[] {1});
            Inputs.check(false, "no token is trusted without an authority");
        } catch (UntrustedException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
