package io.portcullis.evaluator.rego.builtin.registry;

import java.util.Arrays;
import java.util.List;

/** Rego built-ins for regular expressions and globs; the first byte chooses one, the rest is its arguments. See {@link BuiltinsFuzz}. */
public final class RegexBuiltinsFuzz {

    private static final List<String> NAMES = List.of(
            "regex.match",
            "regex.is_valid",
            "regex.split",
            "regex.find_n",
            "regex.replace",
            "regex.find_all_string_submatch_n",
            "regex.template_match",
            "glob.match",
            "glob.quote_meta",
            "regex.globs_match");

    private RegexBuiltinsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        if (input.length > 0) {
            BuiltinsFuzz.call(NAMES.get((input[0] & 0xff) % NAMES.size()), Arrays.copyOfRange(input, 1, input.length));
        }
    }
}
