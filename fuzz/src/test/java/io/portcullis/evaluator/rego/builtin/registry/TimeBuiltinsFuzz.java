package io.portcullis.evaluator.rego.builtin.registry;

import java.util.Arrays;
import java.util.List;

/** Rego built-ins for time; the first byte chooses one, the rest is its arguments. See {@link BuiltinsFuzz}. */
public final class TimeBuiltinsFuzz {

    private static final List<String> NAMES = List.of(
            "time.parse_ns",
            "time.parse_rfc3339_ns",
            "time.parse_duration_ns",
            "time.format",
            "time.date",
            "time.clock",
            "time.diff",
            "time.add_date");

    private TimeBuiltinsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            BuiltinsFuzz.call(NAMES.get((input[0] & 0xff) % NAMES.size()), Arrays.copyOfRange(input, 1, input.length));
        }
    }
}
