package io.portcullis.evaluator.rego.value;

import io.portcullis.fuzz.Inputs;

/** Rego values: an IllegalArgumentException, or a value whose text parses to the same value. */
public final class ValueParserFuzz {

    private ValueParserFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        RegoValue value;
        try {
            value = ValueParser.parse(Inputs.text(input));
        } catch (IllegalArgumentException e) {
            return;
        }
        Inputs.check(ValueParser.parse(ValueWriter.rego(value)).equals(value), "the text is the same value");
    }
}
