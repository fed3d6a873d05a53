package io.portcullis.evaluator.rego.builtin.yaml;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.format.GoFloat;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.io.StringReader;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Parses YAML with go-yaml's rules for plain scalars: the words of YAML 1.2, and timestamps stay text. */
final class YamlReader {

    private static final Pattern INTEGER = Pattern.compile("[-+]?(0|[1-9][0-9_]*)");
    private static final Pattern BASED = Pattern.compile("([-+]?)0(x[0-9a-fA-F_]+|o[0-7_]+|b[01_]+|[0-7]+)");
    private static final Pattern FLOAT =
            Pattern.compile("[-+]?(\\.[0-9]+|[0-9][0-9_]*(\\.[0-9_]*)?)([eE][-+]?[0-9]+)?");

    private final EvaluationScope scope;

    private YamlReader(EvaluationScope scope) {
        this.scope = scope;
    }

    static RegoValue read(String text, EvaluationScope scope) {
        try {
            var options = new LoaderOptions();
            options.setMaxAliasesForCollections(100);
            var root = new Yaml(new SafeConstructor(options)).compose(new StringReader(text));
            return root == null ? RegoValue.NullValue.NULL : new YamlReader(scope).value(root);
        } catch (YAMLException | IllegalArgumentException e) { // the latter for a tag that ends with an escaped space
            throw new BuiltinException("yaml: " + e.getMessage(), e);
        }
    }

    /** Converts a node and counts every value, because an alias can include a node many times. */
    private RegoValue value(Node node) {
        scope.countResult(1);
        return switch (node) {
            case ScalarNode scalar -> scalar(scalar);
            case SequenceNode sequence -> {
                var items = new ArrayList<RegoValue>();
                sequence.getValue().forEach(item -> items.add(value(item)));
                yield RegoValue.array(items);
            }
            case MappingNode mapping -> mapping(mapping);
            default -> throw new BuiltinException("yaml: unexpected node " + node.getTag());
        };
    }

    private RegoValue mapping(MappingNode mapping) {
        var fields = new TreeMap<RegoValue, RegoValue>();
        for (var entry : mapping.getValue()) {
            var key = value(entry.getKeyNode());
            var name = key instanceof RegoValue.StringValue ? key : RegoValue.of(key.toString());
            if (entry.getKeyNode().getTag().equals(Tag.MERGE)
                    && value(entry.getValueNode()) instanceof RegoValue.ObjectValue merged) {
                merged.fields().forEach(fields::putIfAbsent);
            } else {
                fields.put(name, value(entry.getValueNode()));
            }
        }
        return RegoValue.object(fields);
    }

    private RegoValue scalar(ScalarNode node) {
        var text = node.getValue();
        scope.countResult(text.length());
        boolean plain = node.getScalarStyle() == ScalarStyle.PLAIN;
        if (!plain || node.getTag().equals(Tag.MERGE)) {
            return RegoValue.of(text);
        }
        return switch (text) {
            case "", "~", "null", "Null", "NULL" -> RegoValue.NullValue.NULL;
            case "true", "True", "TRUE" -> RegoValue.BooleanValue.TRUE;
            case "false", "False", "FALSE" -> RegoValue.BooleanValue.FALSE;
            default -> numberOrText(text);
        };
    }

    private static RegoValue numberOrText(String text) {
        if (text.length() > RegoValue.MAX_NUMBER_LENGTH) {
            return RegoValue.of(text);
        }
        var digits = text.replace("_", "");
        if (INTEGER.matcher(text).matches()) {
            return RegoValue.number(new BigInteger(digits).toString());
        }
        var based = BASED.matcher(text);
        if (based.matches()) {
            var body = based.group(2).replace("_", "");
            int base = switch (body.charAt(0)) {
                case 'x' -> 16;
                case 'b' -> 2;
                default -> 8;
            };
            boolean marked = "xob".indexOf(body.charAt(0)) >= 0;
            return RegoValue.number(
                    new BigInteger(based.group(1) + (marked ? body.substring(1) : body), base).toString());
        }
        if (FLOAT.matcher(text).matches()) {
            return RegoValue.number(GoFloat.shortest(Double.parseDouble(digits), 'g', 21));
        }
        return RegoValue.of(text);
    }
}
