package io.portcullis.evaluator.json;

import io.portcullis.fuzz.Inputs;

/** The JSON scanner accepts only input that Jackson accepts, and throws only a JsonException. */
public final class JsonScannerFuzz {

    private JsonScannerFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        boolean accepted;
        try {
            var scanner = new JsonScanner(input);
            scanner.skipValue();
            scanner.finish();
            accepted = true;
        } catch (JsonException e) {
            accepted = false;
        }
        if (accepted) {
            Inputs.check(Inputs.isUtf8(input), "JSON is UTF-8");
            Inputs.check(Inputs.jacksonWithDuplicates(input).isPresent(), "Jackson reads it, too");
        }
    }
}
