package io.portcullis.wasm.binary;

import io.portcullis.fuzz.Inputs;
import io.portcullis.wasm.InvalidModuleException;

/** Outlines of modules: an InvalidModuleException, or lists that are no longer than the module. */
public final class ModuleOutlineFuzz {

    private ModuleOutlineFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var outline = ModuleOutline.of(input);
            Inputs.check(
                    outline.imports().size() + outline.exports().size() <= input.length, "every entry takes a byte");
        } catch (InvalidModuleException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
