package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.builtin.SchemaResult.Problem;
import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.evaluator.rego.value.Value.ArrayValue;
import io.portcullis.evaluator.rego.value.Value.ObjectValue;
import io.portcullis.evaluator.rego.value.Value.StringValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import java.util.Map;

/** JSON Schema: documents and schemas are values, or texts that hold JSON. */
final class SchemaBuiltins {

    static final Map<String, Builtin> ALL = Map.of(
            "json.match_schema",
            SchemaBuiltins::match,
            "json.verify_schema",
            (operands, _) -> verify(operands.value(0)));

    private SchemaBuiltins() {}

    private static Value verify(Value schema) {
        try {
            SchemaCompiler.compile(json(schema));
            return Value.array(Value.of(true), Value.NullValue.NULL);
        } catch (SchemaException e) {
            return Value.array(Value.of(false), Value.of("jsonschema: " + e.getMessage()));
        }
    }

    private static Value match(Operands operands, EvaluationScope scope) {
        try {
            var document = json(operands.value(0));
            var result = new SchemaCheck(scope).check(SchemaCompiler.compile(json(operands.value(1))), document);
            var problems =
                    result.problems().stream().map(SchemaBuiltins::describe).toList();
            return Value.array(Value.of(result.isValid()), Value.array(problems));
        } catch (SchemaException e) {
            throw new BuiltinException(String.valueOf(e.getMessage()), e);
        }
    }

    private static Value describe(Problem problem) {
        return Value.object(Map.of(
                "error", Value.of(problem.field() + ": " + problem.description()),
                "type", Value.of(problem.type()),
                "field", Value.of(problem.field()),
                "desc", Value.of(problem.description())));
    }

    private static Value json(Value value) {
        return switch (value) {
            case StringValue(var text) -> {
                if (!JsonText.isValid(text)) {
                    throw new SchemaException("invalid JSON string");
                }
                yield ValueParser.parse(text);
            }
            // Sets become lists, keys become texts.
            case ObjectValue object -> ValueParser.parse(ValueWriter.json(object));
            case ArrayValue array -> ValueParser.parse(ValueWriter.json(array));
            case Value _ -> throw new SchemaException("wrong type, expected string or object");
        };
    }
}
