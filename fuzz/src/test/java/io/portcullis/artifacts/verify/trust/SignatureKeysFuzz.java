package io.portcullis.artifacts.verify.trust;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.fuzz.Inputs;
import java.security.GeneralSecurityException;

/** Public keys in PEM and DER: the documented exceptions, or a key. */
public final class SignatureKeysFuzz {

    private SignatureKeysFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            SignatureKeys.parsePem(Inputs.text(input));
        } catch (ArtifactException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        try {
            var key = SignatureKeys.parse(input);
            Inputs.check(!SignatureKeys.verifies(key, input, input), "the key did not sign its own bytes");
        } catch (GeneralSecurityException e) {
            Inputs.check(e.toString() != null, "the failure has a message");
        }
    }
}
