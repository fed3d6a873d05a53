package io.portcullis.evaluator.rego.builtin.registry;

import java.util.Arrays;
import java.util.List;

/** Rego built-ins for formats, units and strings; the first byte chooses one, the rest is its arguments. See {@link BuiltinsFuzz}. */
public final class FormatBuiltinsFuzz {

    private static final List<String> NAMES = List.of(
            "sprintf",
            "units.parse",
            "units.parse_bytes",
            "strings.replace_n",
            "format_int",
            "to_number",
            "indexof_n",
            "substring");

    private FormatBuiltinsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            BuiltinsFuzz.call(NAMES.get((input[0] & 0xff) % NAMES.size()), Arrays.copyOfRange(input, 1, input.length));
        }
    }
}
