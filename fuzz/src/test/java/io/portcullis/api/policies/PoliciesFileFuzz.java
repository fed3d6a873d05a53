package io.portcullis.api.policies;

import io.portcullis.fuzz.Inputs;
import java.util.Collections;

/** Policies files: a PoliciesFileException, or entries and problems with different names. */
public final class PoliciesFileFuzz {

    private PoliciesFileFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var file = PoliciesFile.parse(Inputs.text(input));
            Inputs.check(
                    Collections.disjoint(
                            file.entries().keySet(), file.problems().keySet()),
                    "an entry is served or has a problem");
        } catch (PoliciesFileException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
