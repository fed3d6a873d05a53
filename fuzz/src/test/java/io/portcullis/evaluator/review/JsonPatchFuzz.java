package io.portcullis.evaluator.review;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.fuzz.Inputs;
import io.portcullis.kwctl.run.PatchedObject;
import java.util.Arrays;

/** A patch between two documents converts the first document into the second one. */
public final class JsonPatchFuzz {

    private JsonPatchFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var documents = Inputs.pair(input);
        try {
            var before = tree(documents.get(0));
            var after = tree(documents.get(1));
            var patched = JsonPatch.between(before, after)
                    .map(patch -> PatchedObject.of(before, patch))
                    .orElse(before);
            Inputs.check(
                    Arrays.equals(JsonTree.serialise(patched), JsonTree.serialise(after)),
                    "the patch leads to the second document");
        } catch (JsonException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }

    private static JsonNode tree(byte[] document) {
        var scanner = new JsonScanner(document);
        scanner.skipValue();
        scanner.finish();
        return JsonTree.parse(document);
    }
}
