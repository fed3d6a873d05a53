package io.portcullis.evaluator.rego.builtin.registry;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import io.portcullis.wasm.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;

/** One call of a built-in with OPA's result: a JSON value, or {@code undefined}. */
record BuiltinVector(String name, String operands, String expected) {

    static final Path FILE = Path.of("src", "test", "resources", "golden", "rego-builtins", "vectors.tsv");
    static final String UNDEFINED = "undefined";

    static List<BuiltinVector> all() {
        try {
            return Files.readAllLines(FILE, StandardCharsets.UTF_8).stream()
                    .filter(line -> !line.startsWith("#"))
                    .map(line -> line.split("\t", -1))
                    .map(columns -> new BuiltinVector(columns[0], columns[1], columns[2]))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the result of our host as JSON. */
    String actual() {
        var scope = new EvaluationScope(0, new Random(1), Deadline.NONE, _ -> {});
        var arguments = ((ArrayValue) ValueParser.parse(operands)).items();
        try {
            var builtin = Builtins.named(name).orElseThrow();
            return ValueWriter.json(builtin.call(arguments, scope));
        } catch (BuiltinException e) {
            return UNDEFINED;
        }
    }

    /** Compares numbers by value and everything else exactly. */
    boolean agrees(String actual) {
        if (expected.equals(UNDEFINED) || actual.equals(UNDEFINED)) {
            return expected.equals(actual);
        }
        RegoValue expectedValue = ValueParser.parse(expected);
        return inAnyOrder(expectedValue).equals(inAnyOrder(ValueParser.parse(actual)));
    }

    /** Sorts the problems of a document, because OPA lists them in the random order of a Go map. */
    private RegoValue inAnyOrder(RegoValue result) {
        if (name.equals("json.match_schema")
                && result instanceof ArrayValue(var parts)
                && parts.getLast() instanceof ArrayValue(var problems)) {
            return RegoValue.array(
                    parts.getFirst(), RegoValue.array(problems.stream().sorted().toList()));
        }
        return result;
    }
}
