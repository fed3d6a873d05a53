package io.portcullis.evaluator.metadata;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.fuzz.Inputs;

/** The metadata section of a module and its content: a PolicyLoadException, or metadata. */
public final class MetadataFuzz {

    private MetadataFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            MetadataSection.in(input)
                    .ifPresent(section -> Inputs.check(section.length <= input.length, "the section is in the module"));
        } catch (PolicyLoadException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        try {
            MetadataParser.parse(input);
        } catch (PolicyLoadException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
