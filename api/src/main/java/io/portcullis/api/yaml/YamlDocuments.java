package io.portcullis.api.yaml;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.composer.Composer;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/**
 * Reads the documents of a YAML or JSON text into JSON trees. The rules are those of YAML 1.2: {@code yes}, {@code on},
 * {@code 1:30} and {@code 010} are text. Anchors are supported, but the number of nodes is limited, so that a small file
 * cannot expand into a huge one. One instance converts one document.
 */
public final class YamlDocuments {

    private static final int MAX_CHARACTERS = 16 << 20;
    private static final int MAX_NODES = 1_000_000;
    private static final int MAX_DEPTH = 128;
    private static final Pattern INTEGER = Pattern.compile("[-+]?(0|[1-9][0-9]*)");
    private static final Pattern HEXADECIMAL = Pattern.compile("0x[0-9a-fA-F]+");
    private static final Pattern OCTAL = Pattern.compile("0o[0-7]+");
    private static final Pattern FLOAT =
            Pattern.compile("[-+]?(\\.[0-9]+|(0|[1-9][0-9]*)(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");
    /** Maximum length of a number. The time to parse a number grows with the square of its length. */
    private static final int MAX_DIGITS = 1000;

    private final JsonNodeFactory json = JsonNodeFactory.instance;
    private final Map<String, String> places = new HashMap<>();
    private int nodes;

    private YamlDocuments() {}

    /**
     * Returns all documents that are not empty.
     *
     * @throws YamlException with line and column of the first error
     */
    public static List<JsonNode> parseAll(String text) {
        return locateAll(text).stream().map(YamlDocument::root).toList();
    }

    /** Returns the only document of a text, or a JSON null for an empty text. */
    public static JsonNode parse(String text) {
        var documents = parseAll(text);
        if (documents.size() > 1) {
            throw new YamlException("more than one document where one is expected", null);
        }
        return documents.isEmpty() ? JsonNodeFactory.instance.nullNode() : documents.getFirst();
    }

    /** Returns the same documents as {@link #parseAll}, with line and column of each value. */
    public static List<YamlDocument> locateAll(String text) {
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_CHARACTERS);
        options.setNestingDepthLimit(MAX_DEPTH);
        try {
            var composer = new Composer(new ParserImpl(new StreamReader(text), options), new PlainScalars(), options);
            var documents = new ArrayList<YamlDocument>();
            while (composer.checkNode()) {
                documents.add(document(composer.getNode()));
            }
            documents.removeIf(document -> document.root().isNull());
            return documents;
        } catch (MarkedYAMLException e) {
            throw new YamlException(e.getProblem() + place(e.getProblemMark()), e);
        } catch (YAMLException e) {
            var message = String.valueOf(e.getMessage());
            throw new YamlException(message.startsWith("Nesting") ? "nested too deeply" : message, e);
        } catch (IllegalArgumentException e) { // SnakeYAML throws it for a tag that ends with an escaped space
            throw new YamlException("a tag is not valid: " + e.getMessage(), e);
        }
    }

    private static YamlDocument document(Node node) {
        var reader = new YamlDocuments();
        var root = reader.convert(node, "", 0);
        var mark = node.getStartMark();
        return new YamlDocument(root, mark == null ? 1 : mark.getLine() + 1, reader.places);
    }

    private JsonNode convert(Node node, String path, int depth) {
        if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
            throw new YamlException("nested too deeply or too large" + place(node.getStartMark()), null);
        }
        places.putIfAbsent(path, place(node.getStartMark()));
        return switch (node) {
            case MappingNode mapping -> object(mapping, path, depth);
            case SequenceNode sequence -> array(sequence, path, depth);
            case ScalarNode scalar -> scalar(scalar);
            default -> throw new YamlException("unexpected node" + place(node.getStartMark()), null);
        };
    }

    private ObjectNode object(MappingNode mapping, String path, int depth) {
        var object = json.objectNode();
        for (var tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || isMerge(key)) {
                throw new YamlException(
                        "keys must be plain text; merge keys are not supported"
                                + place(tuple.getKeyNode().getStartMark()),
                        null);
            }
            var name = key.getValue();
            if (object.has(name)) {
                throw new YamlException("the key '" + name + "' is given twice" + place(key.getStartMark()), null);
            }
            object.set(name, convert(tuple.getValueNode(), path + "/" + name, depth + 1));
        }
        return object;
    }

    private static boolean isMerge(ScalarNode key) {
        return key.getValue().equals("<<") && PlainScalars.isPlain(key);
    }

    private ArrayNode array(SequenceNode sequence, String path, int depth) {
        var array = json.arrayNode();
        for (var element : sequence.getValue()) {
            array.add(convert(element, path + "/" + array.size(), depth + 1));
        }
        return array;
    }

    private JsonNode scalar(ScalarNode node) {
        var text = node.getValue();
        if (!PlainScalars.isPlain(node)) {
            return json.textNode(text);
        }
        return switch (text) {
            case "", "~", "null", "Null", "NULL" -> json.nullNode();
            case "true", "True", "TRUE" -> json.booleanNode(true);
            case "false", "False", "FALSE" -> json.booleanNode(false);
            default -> text.length() > MAX_DIGITS ? json.textNode(text) : number(text);
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
        return FLOAT.matcher(text).matches() ? json.numberNode(Double.parseDouble(text)) : json.textNode(text);
    }

    private JsonNode integer(BigInteger value) {
        return value.bitLength() < Long.SIZE ? json.numberNode(value.longValue()) : json.numberNode(value);
    }

    private static String place(@Nullable Mark mark) {
        return mark == null ? "" : " (line " + (mark.getLine() + 1) + ", column " + (mark.getColumn() + 1) + ")";
    }
}
