package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.evaluator.rego.value.Value.StringValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import java.util.Map;

/** {@code yaml.*}: documents of one JSON-like value. */
final class YamlBuiltins {

    static final Map<String, Builtin> ALL = Map.of(
            "yaml.marshal",
                    (operands, _) -> Value.of(YamlWriter.write(ValueParser.parse(ValueWriter.json(operands.value(0))))),
            "yaml.unmarshal", (operands, _) -> YamlReader.read(operands.string(0)),
            "yaml.is_valid", (operands, _) -> isValid(operands.value(0)));

    private YamlBuiltins() {}

    private static Value isValid(Value value) {
        if (!(value instanceof StringValue(var text))) {
            return Value.BooleanValue.FALSE;
        }
        try {
            YamlReader.read(text);
            return Value.BooleanValue.TRUE;
        } catch (BuiltinException e) {
            return Value.BooleanValue.FALSE;
        }
    }
}
