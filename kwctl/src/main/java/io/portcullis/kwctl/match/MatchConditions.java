package io.portcullis.kwctl.match;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.NullValue;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.portcullis.kwctl.cli.CommandException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Evaluates the CEL match conditions of a webhook in the same way as an API server.
 *
 * <p>Supports {@code object}, {@code oldObject}, {@code request}, the functions of CEL and those of {@link
 * StringFunctions}. Unsupported variables, such as {@code authorizer}, cause an error, never a guess. This class loads the
 * CEL classes; use it only when there are conditions.
 */
final class MatchConditions {

    /** Stops nested loops. Realistic conditions stay far below this limit. */
    private static final int MAX_ITERATIONS = 1_000_000;

    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .comprehensionMaxIterations(MAX_ITERATIONS)
            .build();

    private static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar("object", SimpleType.DYN)
            .addVar("oldObject", SimpleType.DYN)
            .addVar("request", SimpleType.DYN)
            .addFunctionDeclarations(StringFunctions.declarations())
            .setResultType(SimpleType.BOOL)
            .build();

    private static final CelRuntime RUNTIME = CelRuntimeFactory.plannerRuntimeBuilder()
            .setOptions(OPTIONS)
            .addFunctionBindings(StringFunctions.bindings())
            .build();

    private MatchConditions() {}

    /**
     * Returns the name of the first condition that is false. A false condition decides, even when other conditions cannot
     * be evaluated.
     *
     * @throws CommandException when a condition cannot be evaluated and none is false
     */
    static Optional<String> firstFalse(JsonNode conditions, JsonNode request) {
        var variables = variables(request);
        var failures = new ArrayList<CommandException>();
        for (var condition : conditions) {
            var name = condition.path("name").asText();
            try {
                if (!holds(condition.path("expression").asText(), variables)) {
                    return Optional.of(name);
                }
            } catch (CelValidationException | CelEvaluationException e) {
                failures.add(new CommandException("the matchCondition '" + name + "' cannot be evaluated: "
                        + String.valueOf(e.getMessage()).strip()));
            }
        }
        if (!failures.isEmpty()) {
            throw failures.getFirst();
        }
        return Optional.empty();
    }

    private static boolean holds(String expression, Map<String, Object> variables)
            throws CelValidationException, CelEvaluationException {
        CelAbstractSyntaxTree tree = COMPILER.compile(expression).getAst();
        return (Boolean) RUNTIME.createProgram(tree).eval(variables);
    }

    private static Map<String, Object> variables(JsonNode request) {
        var described = new LinkedHashMap<String, Object>();
        request.properties().forEach(field -> {
            if (!field.getKey().equals("object") && !field.getKey().equals("oldObject")) {
                described.put(field.getKey(), value(field.getValue()));
            }
        });
        return Map.of(
                "object", value(request.path("object")),
                "oldObject", value(request.path("oldObject")),
                "request", described);
    }

    private static Object value(JsonNode json) {
        return switch (json.getNodeType()) {
            case OBJECT -> {
                var map = new LinkedHashMap<String, Object>();
                json.properties().forEach(field -> map.put(field.getKey(), value(field.getValue())));
                yield map;
            }
            case ARRAY -> {
                List<Object> list = new ArrayList<>();
                json.forEach(element -> list.add(value(element)));
                yield list;
            }
            case STRING -> json.asText();
            case BOOLEAN -> json.booleanValue();
            case NUMBER -> json.isIntegralNumber() && json.canConvertToLong() ? json.longValue() : json.doubleValue();
            case NULL, MISSING, BINARY, POJO -> NullValue.NULL_VALUE;
        };
    }
}
