package io.portcullis.process.cli;

import io.portcullis.fuzz.Inputs;
import java.util.List;

/** Values of flags: an IllegalArgumentException, or a value; durations are never negative. */
public final class FlagsFuzz {

    private static final List<Flag<?>> FLAGS = List.of(
            Flag.onOff("--x", "", ""),
            Flag.number("--x", "", 0, 100, ""),
            Flag.bytes("--x", "", ""),
            Flag.address("--x", "", ""),
            Flag.list("--x", "", "X", ""),
            Flag.choice("--x", "", List.of("a", "b"), ""));

    private FlagsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var text = Inputs.text(input);
        try {
            Inputs.check(!Durations.parse(text).isNegative(), "durations are not negative");
        } catch (IllegalArgumentException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
        for (var flag : FLAGS) {
            try {
                Inputs.check(flag.parse().apply(text) != null, "there is a value");
            } catch (IllegalArgumentException e) {
                Inputs.check(e.getMessage() != null, "the failure has a message");
            }
        }
    }
}
