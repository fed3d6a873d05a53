package io.portcullis.hostile;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The {@code --name value} options of a benchmark. */
record Options(Map<String, String> values) {

    /** @throws IllegalArgumentException for an option that is not among the names or has no value */
    static Options parse(String[] arguments, String... names) {
        var values = new HashMap<String, String>();
        for (int i = 0; i < arguments.length; i += 2) {
            if (!List.of(names).contains(arguments[i]) || i + 1 == arguments.length) {
                throw new IllegalArgumentException(
                        "expected one of " + List.of(names) + " with a value, not " + arguments[i]);
            }
            values.put(arguments[i], arguments[i + 1]);
        }
        return new Options(Map.copyOf(values));
    }

    int number(String name, int otherwise) {
        return values.containsKey(name) ? Integer.parseInt(values.get(name)) : otherwise;
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }
}
