package io.portcullis.evaluator.rego.builtin.yaml;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import java.util.Map;

/** {@code yaml.*}: documents that contain one JSON-like value. */
public final class YamlBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "yaml.marshal",
                    (operands, scope) -> RegoValue.of(
                            YamlWriter.write(ValueParser.parse(ValueWriter.json(operands.value(0))), scope)),
            "yaml.unmarshal", (operands, scope) -> YamlReader.read(operands.string(0), scope),
            "yaml.is_valid", (operands, scope) -> isValid(operands.value(0), scope));

    private YamlBuiltins() {}

    private static RegoValue isValid(RegoValue value, EvaluationScope scope) {
        if (!(value instanceof StringValue(var text))) {
            return RegoValue.BooleanValue.FALSE;
        }
        try {
            YamlReader.read(text, scope);
            return RegoValue.BooleanValue.TRUE;
        } catch (BuiltinException e) {
            return RegoValue.BooleanValue.FALSE;
        }
    }
}
