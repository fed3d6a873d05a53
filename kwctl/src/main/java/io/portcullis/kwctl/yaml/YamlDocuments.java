package io.portcullis.kwctl.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/**
 * Reads the documents of a YAML text, of which JSON is a part, into JSON trees. YAML 1.2: {@code yes} and {@code on} are words,
 * {@code 1:30} is text. Empty documents are left out. Aliases count towards a budget, so that a small file cannot grow huge.
 */
public final class YamlDocuments {

    private static final LoadSettings SETTINGS = LoadSettings.builder()
            .setAllowDuplicateKeys(false)
            .setMaxAliasesForCollections(100)
            .build();
    private static final Pattern INTEGER = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
    private static final Pattern HEXADECIMAL = Pattern.compile("0x[0-9a-fA-F]+");
    private static final Pattern OCTAL = Pattern.compile("0o[0-7]+");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
    private static final int MAX_NODES = 1_000_000;

    private final JsonNodeFactory json = JsonNodeFactory.instance;
    private int nodes;

    private YamlDocuments() {}

    /** @throws YamlException with the place of the first mistake */
    public static List<JsonNode> parseAll(String text) {
        try {
            var reader = new YamlDocuments();
            var documents = new ArrayList<JsonNode>();
            for (var node : new Compose(SETTINGS).composeAllFromString(text)) {
                var document = reader.convert(node);
                if (!document.isNull()) {
                    documents.add(document);
                }
            }
            return documents;
        } catch (MarkedYamlEngineException e) {
            var place = e.getProblemMark()
                    .map(mark -> " at line " + (mark.getLine() + 1) + " column " + (mark.getColumn() + 1))
                    .orElse("");
            throw new YamlException(e.getProblem() + place, e);
        } catch (YamlEngineException e) {
            throw new YamlException(String.valueOf(e.getMessage()), e);
        } catch (StackOverflowError e) {
            // The parser knows no limit of its own; nothing is left half done.
            throw new YamlException("nested too deeply", e);
        }
    }

    /** The only document of a text; {@code null} in it stands for an empty text. */
    public static JsonNode parse(String text) {
        var documents = parseAll(text);
        if (documents.size() > 1) {
            throw new YamlException("more than one document where one is expected", null);
        }
        return documents.isEmpty() ? JsonNodeFactory.instance.nullNode() : documents.getFirst();
    }

    private JsonNode convert(Node node) {
        if (++nodes > MAX_NODES) {
            throw new YamlException("too large", null);
        }
        return switch (node) {
            case MappingNode mapping -> object(mapping);
            case SequenceNode sequence -> array(sequence);
            case ScalarNode scalar -> scalar(scalar);
            default -> throw new YamlException("unexpected node" + place(node), null);
        };
    }

    private ObjectNode object(MappingNode mapping) {
        var object = json.objectNode();
        for (var tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key)) {
                throw new YamlException("keys must be plain text" + place(tuple.getKeyNode()), null);
            }
            if (object.has(key.getValue())) {
                throw new YamlException("duplicate key '" + key.getValue() + "'" + place(key), null);
            }
            object.set(key.getValue(), convert(tuple.getValueNode()));
        }
        return object;
    }

    private ArrayNode array(SequenceNode sequence) {
        var array = json.arrayNode();
        sequence.getValue().forEach(element -> array.add(convert(element)));
        return array;
    }

    private JsonNode scalar(ScalarNode node) {
        var text = node.getValue();
        if (node.getScalarStyle() != ScalarStyle.PLAIN) {
            return json.textNode(text);
        }
        return switch (text) {
            case "", "~", "null", "Null", "NULL" -> json.nullNode();
            case "true", "True", "TRUE" -> json.booleanNode(true);
            case "false", "False", "FALSE" -> json.booleanNode(false);
            default -> number(text);
        };
    }

    private JsonNode number(String text) {
        if (INTEGER.matcher(text).matches()) {
            return integer(new BigInteger(text));
        }
        if (HEXADECIMAL.matcher(text).matches()) {
            return integer(new BigInteger(text.substring(2), 16));
        }
        if (OCTAL.matcher(text).matches()) {
            return integer(new BigInteger(text.substring(2), 8));
        }
        var leadingZero = text.length() > 1 && text.charAt(0) == '0' && Character.isDigit(text.charAt(1));
        return !leadingZero && FLOAT.matcher(text).matches()
                ? json.numberNode(Double.parseDouble(text))
                : json.textNode(text);
    }

    private JsonNode integer(BigInteger value) {
        return value.bitLength() < Long.SIZE ? json.numberNode(value.longValue()) : json.numberNode(value);
    }

    private static String place(Node node) {
        return node.getStartMark()
                .map(mark -> " at line " + (mark.getLine() + 1) + " column " + (mark.getColumn() + 1))
                .orElse("");
    }
}
