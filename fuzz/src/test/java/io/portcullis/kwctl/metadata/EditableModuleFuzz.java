package io.portcullis.kwctl.metadata;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.fuzz.Inputs;
import io.portcullis.kwctl.cli.CommandException;
import java.util.Arrays;

/** Modules and metadata in kwctl annotate: the documented exceptions, or a module that contains its new section. */
public final class EditableModuleFuzz {

    private EditableModuleFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var module = EditableModule.parse(input);
            module.exports();
            module.isRego();
            module.data();
            var added = module.withCustomSection("fuzz", new byte[] {1, 2, 3}).bytes();
            Inputs.check(
                    Arrays.equals(EditableModule.parse(added).bytes(), added), "what is written reads as the same");
            module.withoutDebugInformation();
            module.withPlainHostImports();
        } catch (CommandException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        try {
            MetadataDocument.ofSection(input).bytes();
        } catch (CommandException | PolicyLoadException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
