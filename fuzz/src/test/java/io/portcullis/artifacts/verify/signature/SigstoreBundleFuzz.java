package io.portcullis.artifacts.verify.signature;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.fuzz.Inputs;

/** Sigstore bundles: an UntrustedException, or a candidate. */
public final class SigstoreBundleFuzz {

    private static final String DIGEST = Digest.sha256(new byte[0]);

    private SigstoreBundleFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            Inputs.check(SigstoreBundle.read(input, DIGEST) != null, "there is a candidate");
        } catch (UntrustedException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
