package io.portcullis.matching;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.portcullis.matching.MatchOutcome.ConditionError;
import io.portcullis.matching.MatchOutcome.Consequence;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The compiled match conditions of one webhook. They may use {@code object}, {@code oldObject} and {@code request}. A
 * condition that needs more, such as {@code authorizer}, is an error and never a guess. Thread-safe.
 */
public final class MatchConditions {

    private record Compiled(String name, ConditionExpression expression) {}

    private final List<Compiled> conditions;
    private final FailurePolicy failurePolicy;

    private MatchConditions(List<Compiled> conditions, FailurePolicy failurePolicy) {
        this.conditions = List.copyOf(conditions);
        this.failurePolicy = failurePolicy;
    }

    /** Compiles the conditions. A condition that does not compile is an error of each evaluation. */
    public static MatchConditions compile(List<MatchCondition> conditions, FailurePolicy failurePolicy) {
        return new MatchConditions(
                conditions.stream()
                        .map(condition -> new Compiled(
                                Objects.requireNonNullElse(condition.getName(), ""),
                                ConditionExpression.compile(Objects.requireNonNullElse(condition.getExpression(), ""))))
                        .toList(),
                failurePolicy);
    }

    public boolean isEmpty() {
        return conditions.isEmpty();
    }

    /** Evaluates all conditions. A false condition decides, at any position; otherwise the failure policy decides on errors. */
    public MatchOutcome evaluate(AdmissionAttributes request) {
        if (conditions.isEmpty()) {
            return MatchOutcome.APPLIES;
        }
        var variables = ConditionVariables.of(request);
        var errors = new ArrayList<ConditionError>();
        for (var condition : conditions) {
            switch (condition.expression().evaluate(variables)) {
                case ConditionExpression.Result.Value(var isTrue) -> {
                    if (!isTrue) {
                        return new MatchOutcome.DoesNotApply(condition.name());
                    }
                }
                case ConditionExpression.Result.Failure(var reason, var isCertain) ->
                    errors.add(new ConditionError(condition.name(), reason, isCertain));
            }
        }
        return errors.isEmpty()
                ? MatchOutcome.APPLIES
                : new MatchOutcome.Failed(errors, Consequence.of(errors, failurePolicy));
    }
}
