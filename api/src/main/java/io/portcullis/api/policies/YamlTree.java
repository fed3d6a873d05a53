package io.portcullis.api.policies;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.StringReader;
import java.math.BigInteger;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Reads YAML into a JSON tree by the rules of YAML 1.2: {@code yes} and {@code on} are words, {@code 010} is ten.
 * Anchors work, within a budget, so that a small file cannot grow into a huge one. Lives for one parse.
 */
final class YamlTree {

    private static final int MAX_CHARACTERS = 16 << 20;
    private static final int MAX_NODES = 1_000_000;
    private static final int MAX_DEPTH = 128;
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+");
    private static final Pattern FLOAT = Pattern.compile("[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?");

    private final JsonNodeFactory json = JsonNodeFactory.instance;
    private final Map<String, String> places = new HashMap<>();
    private int nodes;

    private YamlTree() {}

    static Document parse(String text) {
        var options = new LoaderOptions();
        options.setCodePointLimit(MAX_CHARACTERS);
        options.setNestingDepthLimit(MAX_DEPTH);
        try {
            var tree = new YamlTree();
            var node = new Yaml(options).compose(new StringReader(text));
            return new Document(node == null ? tree.json.nullNode() : tree.convert(node, "", 0), tree.places);
        } catch (MarkedYAMLException e) {
            var mark = e.getProblemMark();
            var place = mark == null ? "" : Document.place(mark.getLine() + 1, mark.getColumn() + 1);
            throw new PoliciesFileException("not valid YAML: " + e.getProblem() + place, e);
        } catch (YAMLException e) {
            throw new PoliciesFileException("not valid YAML: " + e.getMessage(), e);
        }
    }

    private JsonNode convert(Node node, String path, int depth) {
        if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
            throw new PoliciesFileException("not valid YAML: too deep or too large" + place(node), null);
        }
        places.putIfAbsent(path, place(node));
        return switch (node) {
            case MappingNode mapping -> object(mapping, path, depth);
            case SequenceNode sequence -> array(sequence, path, depth);
            case ScalarNode scalar -> scalar(scalar);
            default -> throw new PoliciesFileException("not valid YAML: unexpected node" + place(node), null);
        };
    }

    private ObjectNode object(MappingNode mapping, String path, int depth) {
        var object = json.objectNode();
        for (var tuple : mapping.getValue()) {
            if (!(tuple.getKeyNode() instanceof ScalarNode key) || key.getTag().equals(Tag.MERGE)) {
                throw new PoliciesFileException(
                        "keys must be plain text; merge keys are not supported" + place(tuple.getKeyNode()), null);
            }
            var name = key.getValue();
            if (object.has(name)) {
                throw new PoliciesFileException("the key '" + name + "' is given twice" + place(key), null);
            }
            object.set(name, convert(tuple.getValueNode(), path + "/" + name, depth + 1));
        }
        return object;
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
        if (node.getScalarStyle() != ScalarStyle.PLAIN || node.getTag().equals(Tag.STR)) {
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
            var value = new BigInteger(text);
            return value.bitLength() < Long.SIZE ? json.numberNode(value.longValue()) : json.numberNode(value);
        }
        return FLOAT.matcher(text).matches() ? json.numberNode(Double.parseDouble(text)) : json.textNode(text);
    }

    private static String place(Node node) {
        var mark = node.getStartMark();
        return mark == null ? "" : Document.place(mark.getLine() + 1, mark.getColumn() + 1);
    }
}
