package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.format.GoJsonText;
import io.portcullis.evaluator.rego.builtin.schema.SchemaResult.Problem;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import java.util.Map;

/** Built-ins for JSON Schema. Documents and schemas are values, or strings that contain JSON. */
public final class SchemaBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "json.match_schema",
            SchemaBuiltins::match,
            "json.verify_schema",
            (operands, _) -> verify(operands.value(0)));

    private SchemaBuiltins() {}

    private static RegoValue verify(RegoValue schema) {
        try {
            SchemaCompiler.compile(json(schema));
            return RegoValue.array(RegoValue.of(true), RegoValue.NullValue.NULL);
        } catch (SchemaException e) {
            return RegoValue.array(RegoValue.of(false), RegoValue.of("jsonschema: " + e.getMessage()));
        }
    }

    private static RegoValue match(Operands operands, EvaluationScope scope) {
        try {
            var document = json(operands.value(0));
            var result = new SchemaCheck(scope).check(SchemaCompiler.compile(json(operands.value(1))), document);
            var problems =
                    result.problems().stream().map(SchemaBuiltins::describe).toList();
            return RegoValue.array(RegoValue.of(result.isValid()), RegoValue.array(problems));
        } catch (SchemaException e) {
            throw new BuiltinException(String.valueOf(e.getMessage()), e);
        }
    }

    private static RegoValue describe(Problem problem) {
        return RegoValue.object(Map.of(
                "error", RegoValue.of(problem.field() + ": " + problem.description()),
                "type", RegoValue.of(problem.type()),
                "field", RegoValue.of(problem.field()),
                "desc", RegoValue.of(problem.description())));
    }

    private static RegoValue json(RegoValue value) {
        return switch (value) {
            case StringValue(var text) -> {
                if (!GoJsonText.isValid(text)) {
                    throw new SchemaException("invalid JSON string");
                }
                yield ValueParser.parse(text);
            }
            // Converts sets to lists and keys to strings.
            case ObjectValue object -> ValueParser.parse(ValueWriter.json(object));
            case ArrayValue array -> ValueParser.parse(ValueWriter.json(array));
            case RegoValue _ -> throw new SchemaException("wrong type, expected string or object");
        };
    }
}
