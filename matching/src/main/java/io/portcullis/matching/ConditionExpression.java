package io.portcullis.matching;

import dev.cel.common.CelErrorCode;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.extensions.CelOptionalLibrary;
import dev.cel.extensions.CelSetsExtensions;
import dev.cel.extensions.CelStringExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelAttributePattern;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import dev.cel.runtime.CelRuntimeFactory;
import dev.cel.runtime.CelUnknownSet;
import dev.cel.runtime.PartialVars;
import java.util.EnumSet;
import java.util.stream.Collectors;

/**
 * A compiled CEL expression of a match condition.
 *
 * <p>The language is that of the API server, as far as cel-java has it: standard CEL, comparisons across number types,
 * optional fields, and the string and set functions. Kubernetes' own functions (quantities, URLs, IP addresses, the
 * authorizer) do not compile. Loading this class takes a second, so use it only when there are conditions. Thread-safe.
 */
final class ConditionExpression {

    /** Bounds the cost of one evaluation. Realistic conditions stay far below this limit. */
    private static final int MAX_ITERATIONS = 100_000;

    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .comprehensionMaxIterations(MAX_ITERATIONS)
            .build();

    /** No API server has {@code reverse}. */
    private static final CelStringExtensions STRINGS =
            CelExtensions.strings(EnumSet.complementOf(EnumSet.of(CelStringExtensions.Function.REVERSE)));

    private static final CelSetsExtensions SETS = CelExtensions.sets(OPTIONS);
    private static final CelOptionalLibrary OPTIONAL_FIELDS = CelExtensions.optional();

    private static final CelCompiler COMPILER = CelCompilerFactory.standardCelCompilerBuilder()
            .setOptions(OPTIONS)
            .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
            .addVar(ConditionVariables.OBJECT, SimpleType.DYN)
            .addVar(ConditionVariables.OLD_OBJECT, SimpleType.DYN)
            .addVar(ConditionVariables.REQUEST, SimpleType.DYN)
            .addLibraries(STRINGS, SETS, OPTIONAL_FIELDS)
            .build();

    private static final CelRuntime RUNTIME = CelRuntimeFactory.plannerRuntimeBuilder()
            .setOptions(OPTIONS)
            .addLibraries(STRINGS, SETS, OPTIONAL_FIELDS)
            .build();

    /** The value of an expression, or why it has none. */
    sealed interface Result {

        record Value(boolean isTrue) implements Result {}

        /** @param isCertain whether the API server cannot evaluate the expression either */
        record Failure(String reason, boolean isCertain) implements Result {}
    }

    private sealed interface Compilation {

        record Done(CelRuntime.Program program) implements Compilation {}

        record Failed(Result.Failure failure) implements Compilation {}
    }

    private final Compilation compilation;

    private ConditionExpression(Compilation compilation) {
        this.compilation = compilation;
    }

    static ConditionExpression compile(String expression) {
        try {
            var tree = COMPILER.compile(expression).getAst();
            return new ConditionExpression(
                    tree.getResultType().equals(SimpleType.BOOL)
                            ? new Compilation.Done(RUNTIME.createProgram(tree))
                            : uncompiled("it must evaluate to bool, but evaluates to "
                                    + tree.getResultType().name()));
        } catch (CelValidationException | CelEvaluationException e) {
            return new ConditionExpression(uncompiled(String.valueOf(e.getMessage())));
        }
    }

    /** The API server may have compiled the expression, because it knows more functions. */
    private static Compilation uncompiled(String reason) {
        return new Compilation.Failed(new Result.Failure(reason.strip(), false));
    }

    Result evaluate(ConditionVariables variables) {
        return switch (compilation) {
            case Compilation.Failed(var failure) -> failure;
            case Compilation.Done(var program) -> evaluate(program, variables);
        };
    }

    private static Result evaluate(CelRuntime.Program program, ConditionVariables variables) {
        var unknown = variables.unknown().stream()
                .map(field -> CelAttributePattern.fromQualifiedIdentifier(ConditionVariables.REQUEST + "." + field))
                .toArray(CelAttributePattern[]::new);
        try {
            return switch (program.eval(PartialVars.of(variables.values(), unknown))) {
                case Boolean isTrue -> new Result.Value(isTrue);
                case CelUnknownSet missing -> new Result.Failure(unknown(missing), false);
                default -> new Result.Failure("it is neither true nor false", true);
            };
        } catch (CelEvaluationException e) {
            return new Result.Failure(String.valueOf(e.getMessage()).strip(), isCertain(e.getErrorCode()));
        }
    }

    private static String unknown(CelUnknownSet missing) {
        return missing.attributes().stream().map(Object::toString).sorted().collect(Collectors.joining(", "))
                + " is unknown";
    }

    /** Errors that follow from the expression and its input. The others are limits or defects of this evaluation. */
    private static boolean isCertain(CelErrorCode code) {
        return switch (code) {
            case ATTRIBUTE_NOT_FOUND,
                    INDEX_OUT_OF_BOUNDS,
                    DIVIDE_BY_ZERO,
                    DUPLICATE_ATTRIBUTE,
                    INVALID_ARGUMENT,
                    OVERLOAD_NOT_FOUND,
                    NUMERIC_OVERFLOW,
                    BAD_FORMAT -> true;
            case INTERNAL_ERROR, AMBIGUOUS_OVERLOAD, TYPE_NOT_FOUND, ITERATION_BUDGET_EXCEEDED -> false;
        };
    }
}
