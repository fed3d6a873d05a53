package io.portcullis.wasm.preinit;

import io.portcullis.fuzz.Inputs;
import io.portcullis.wasm.InvalidModuleException;
import java.util.Arrays;
import java.util.Set;

/** Module parsing for pre-initialisation: the documented exceptions, or a module that is unchanged by parsing and writing. */
public final class PreInitialiserFuzz {

    private PreInitialiserFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            PreInitialiser.hasStartUp(input, Set.of("_start", "_initialize"));
        } catch (InvalidModuleException | UnsupportedModuleException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        try {
            var module = SnapshotModule.parse(input);
            var written = module.bytes();
            Inputs.check(
                    Arrays.equals(SnapshotModule.parse(written).bytes(), written), "what is written reads as the same");
            Suitability.check(module);
        } catch (InvalidModuleException | UnsupportedModuleException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
