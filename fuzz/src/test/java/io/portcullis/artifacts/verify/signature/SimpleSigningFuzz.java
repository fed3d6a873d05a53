package io.portcullis.artifacts.verify.signature;

import io.portcullis.artifacts.source.Digest;
import io.portcullis.fuzz.Inputs;
import java.util.Map;

/** Cosign payloads and their annotations: an UntrustedException, or a candidate. */
public final class SimpleSigningFuzz {

    private static final String DIGEST = Digest.sha256(new byte[0]);

    private SimpleSigningFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var parts = Inputs.pair(input);
        var annotations = Map.of(
                "dev.cosignproject.cosign/signature", "AAAA",
                "dev.sigstore.cosign/bundle", Inputs.text(parts.get(1)),
                "dev.sigstore.cosign/certificate", Inputs.text(parts.get(1)));
        try {
            SimpleSigning.read(parts.get(0), annotations, DIGEST);
        } catch (UntrustedException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
