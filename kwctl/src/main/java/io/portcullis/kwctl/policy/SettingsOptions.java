package io.portcullis.kwctl.policy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;

/** The two options for policy settings: a file or JSON text. */
public final class SettingsOptions {

    public static final Option FILE = Option.one(
                    "settings-path", "PATH", "File containing the settings for this policy, YAML or JSON")
            .withShort('s');
    public static final Option JSON =
            Option.one("settings-json", "VALUE", "JSON string containing the settings for this policy");

    public static final List<Option> OPTIONS = List.of(FILE, JSON);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private SettingsOptions() {}

    public static boolean given(ParsedArguments arguments) {
        return arguments.has(FILE) || arguments.has(JSON);
    }

    /** Returns the settings; an empty object when none are given. The file has priority. */
    public static ObjectNode read(ParsedArguments arguments, CommandSession session) {
        return arguments
                .value(FILE)
                .map(path -> fromFile(path, session))
                .or(() -> arguments.value(JSON).map(SettingsOptions::fromJson))
                .orElseGet(JsonNodeFactory.instance::objectNode);
    }

    public static ObjectNode fromFile(String path, CommandSession session) {
        var text = TextFile.read(session.path(path), "Cannot open settings file " + path);
        try {
            return object(YamlDocuments.parse(text));
        } catch (YamlException e) {
            throw new CommandException("Cannot parse settings file " + path, e);
        }
    }

    private static ObjectNode fromJson(String text) {
        try {
            return object(MAPPER.readTree(text));
        } catch (JsonProcessingException e) {
            throw new CommandException("Cannot parse settings JSON", new CommandException(e.getOriginalMessage()));
        }
    }

    /** Returns the node as an object. An empty document means no settings. */
    private static ObjectNode object(JsonNode node) {
        return switch (node) {
            case ObjectNode object -> object;
            case NullNode _ -> JsonNodeFactory.instance.objectNode();
            default -> {
                if (node.isMissingNode()) {
                    yield JsonNodeFactory.instance.objectNode();
                }
                throw new CommandException("the settings are not an object: " + node);
            }
        };
    }
}
