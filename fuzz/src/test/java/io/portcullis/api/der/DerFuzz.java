package io.portcullis.api.der;

import io.portcullis.fuzz.Inputs;
import java.util.Arrays;
import java.util.List;

/** DER: a MalformedDerException, or elements whose encoding is the input. */
public final class DerFuzz {

    private DerFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            for (var element : DerElement.all(input)) {
                var encoded = element.encoded();
                Inputs.check(
                        Arrays.equals(
                                DerElement.of(element.tag(), element.content()).encoded(), encoded),
                        "what is written is what was read");
                var again = DerElement.only(encoded);
                Inputs.check(
                        again.tag() == element.tag() && Arrays.equals(again.content(), element.content()),
                        "what is encoded reads as the same element");
                descend(element.children(), 0);
            }
        } catch (MalformedDerException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }

    private static void descend(List<DerElement> elements, int depth) {
        for (var element : elements) {
            if (depth < 20) {
                descend(element.children(), depth + 1);
            }
        }
    }
}
