package io.portcullis.api.yaml;

import io.portcullis.fuzz.Inputs;

/** YAML of manifests and policies: a YamlException, or the same number of documents from both methods. */
public final class YamlDocumentsFuzz {

    private YamlDocumentsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var text = Inputs.text(input);
        try {
            var documents = YamlDocuments.parseAll(text);
            Inputs.check(
                    YamlDocuments.locateAll(text).size() == documents.size(), "both methods find the same documents");
        } catch (YamlException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
