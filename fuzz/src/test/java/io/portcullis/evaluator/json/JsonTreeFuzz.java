package io.portcullis.evaluator.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.fuzz.Inputs;
import java.util.Arrays;

/** Trees of accepted JSON: a JsonException, or a tree whose text is unchanged by parsing and writing it. */
public final class JsonTreeFuzz {

    private JsonTreeFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        JsonNode tree;
        try {
            var scanner = new JsonScanner(input);
            scanner.skipValue();
            scanner.finish();
            tree = JsonTree.parse(input);
        } catch (JsonException e) {
            return;
        }
        var text = JsonTree.serialise(tree);
        Inputs.check(Arrays.equals(JsonTree.serialise(JsonTree.parse(text)), text), "the text is stable");
    }
}
