package io.portcullis.kwctl.run;

import io.portcullis.fuzz.Inputs;
import io.portcullis.kwctl.cli.CommandException;

/** Patches of policies: a CommandException, or a patched object. */
public final class PatchedObjectFuzz {

    private PatchedObjectFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var parts = Inputs.pair(input);
        Inputs.jackson(parts.get(0)).ifPresent(object -> {
            try {
                PatchedObject.of(object, parts.get(1));
            } catch (CommandException e) {
                Inputs.check(e.getMessage() != null, "the failure has a message");
            }
        });
    }
}
