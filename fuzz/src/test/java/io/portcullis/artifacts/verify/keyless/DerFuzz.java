package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.fuzz.Inputs;
import java.util.Arrays;
import java.util.List;

/** DER: an UntrustedException, or values whose encoding parses to the same values. */
public final class DerFuzz {

    private DerFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            for (var value : Der.readAll(input)) {
                var encoded = value.encode();
                var again = Der.read(encoded);
                Inputs.check(
                        again.tag() == value.tag() && Arrays.equals(again.content(), value.content()),
                        "what is encoded reads as the same value");
                descend(value.children(), 0);
            }
        } catch (UntrustedException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }

    private static void descend(List<Der> values, int depth) throws UntrustedException {
        for (var value : values) {
            if (depth < 20) {
                descend(value.children(), depth + 1);
            }
        }
    }
}
