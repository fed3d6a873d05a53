package io.portcullis.kwctl.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.Option;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The output format of structured results. */
public enum OutputFormat {
    JSON,
    YAML,
    TABLE;

    /** Returns the option for commands whose result is a table. */
    public static Option option() {
        return Option.choice("output", "FORMAT", names(), "Output format")
                .withShort('o')
                .withDefault("table");
    }

    private static List<String> names() {
        return Arrays.stream(values())
                .map(format -> format.name().toLowerCase(Locale.ROOT))
                .toList();
    }

    public static OutputFormat of(String name) {
        return valueOf(name.toUpperCase(Locale.ROOT));
    }

    public static String prettyJson(JsonNode node) {
        try {
            return new JsonMapper().writer(new StandardJsonPrinter()).writeValueAsString(node) + "\n";
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree is always JSON", e);
        }
    }

    /** Renders the data as JSON or YAML, or returns the table. */
    public String render(JsonNode data, String table) {
        return switch (this) {
            case JSON -> prettyJson(data);
            case YAML -> YamlText.of(data);
            case TABLE -> table;
        };
    }
}
