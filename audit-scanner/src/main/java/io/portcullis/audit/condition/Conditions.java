package io.portcullis.audit.condition;

import com.fasterxml.jackson.databind.JsonNode;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The compiled matchConditions of one webhook. Variables follow the API server: {@code object}, {@code oldObject} and
 * {@code request}. {@code oldObject} is null, because objects are evaluated as if they were created now. {@code
 * request} has no {@code userInfo}, because the creator of an object is unknown. Conditions that need more, such as
 * {@code authorizer}, are reported as not evaluated. Thread-safe.
 */
public final class Conditions {

    private static final String OBJECT = "object";
    private static final String OLD_OBJECT = "oldObject";
    private static final String REQUEST = "request";

    private final List<Compiled> conditions;

    /** @param program absent if compilation failed; then {@code reason} contains the error */
    private record Compiled(String name, CelRuntime.@Nullable Program program, String reason) {}

    private Conditions(List<Compiled> conditions) {
        this.conditions = List.copyOf(conditions);
    }

    public static Conditions compile(List<MatchCondition> conditions) {
        var compiled = new ArrayList<Compiled>();
        for (var condition : conditions) {
            compiled.add(compile(condition));
        }
        return new Conditions(compiled);
    }

    private static Compiled compile(MatchCondition condition) {
        try {
            CelAbstractSyntaxTree tree =
                    Cel.COMPILER.compile(condition.getExpression()).getAst();
            return new Compiled(condition.getName(), Cel.RUNTIME.createProgram(tree), "");
        } catch (CelValidationException | CelEvaluationException e) {
            return new Compiled(condition.getName(), null, firstLine(e));
        }
    }

    public boolean isEmpty() {
        return conditions.isEmpty();
    }

    /**
     * Evaluates all conditions. A false condition decides, at any position; otherwise a condition that cannot be
     * evaluated decides.
     */
    public MatchOutcome evaluate(JsonNode object, Map<String, ?> request) {
        if (conditions.isEmpty()) {
            return MatchOutcome.APPLIES;
        }
        Map<String, Object> variables = new HashMap<>();
        variables.put(OBJECT, CelValues.of(object));
        variables.put(OLD_OBJECT, CelValues.NULL);
        variables.put(REQUEST, request);
        var outcome = MatchOutcome.APPLIES;
        for (var condition : conditions) {
            var one = evaluate(condition, variables);
            if (one instanceof MatchOutcome.DoesNotApply) {
                return one;
            }
            if (one instanceof MatchOutcome.NotEvaluated && outcome instanceof MatchOutcome.Applies) {
                outcome = one;
            }
        }
        return outcome;
    }

    private static MatchOutcome evaluate(Compiled condition, Map<String, Object> variables) {
        var program = condition.program();
        if (program == null) {
            return new MatchOutcome.NotEvaluated(condition.name(), condition.reason());
        }
        try {
            return switch (program.eval(variables)) {
                case Boolean holds when holds -> MatchOutcome.APPLIES;
                case Boolean _ -> new MatchOutcome.DoesNotApply(condition.name());
                default -> new MatchOutcome.NotEvaluated(condition.name(), "it is neither true nor false");
            };
        } catch (CelEvaluationException e) {
            return new MatchOutcome.NotEvaluated(condition.name(), firstLine(e));
        }
    }

    private static String firstLine(Exception e) {
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("it cannot be evaluated");
    }

    /** Loaded lazily, only if policies have conditions, because loading takes a second. */
    private static final class Cel {

        static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(CelValues.OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .addVar(OBJECT, SimpleType.DYN)
                .addVar(OLD_OBJECT, SimpleType.DYN)
                .addVar(REQUEST, SimpleType.DYN)
                .addFunctionDeclarations(StringFunctions.declarations())
                .setResultType(SimpleType.BOOL)
                .build();

        static final CelRuntime RUNTIME = CelRuntimeFactory.plannerRuntimeBuilder()
                .setOptions(CelValues.OPTIONS)
                .addFunctionBindings(StringFunctions.bindings())
                .build();
    }
}
