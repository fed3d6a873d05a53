package io.portcullis.controller.admission.rules;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.core.validation.FieldError;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.group.expression.InvalidExpressionException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Checks {@code spec.expression} of groups with the parser of policy servers, so that both accept the same expressions.
 */
final class GroupExpressions {

    private static final String PATH = "spec.expression";
    private static final Pattern MEMBER = Pattern.compile("[_a-zA-Z][_a-zA-Z0-9]*");

    private GroupExpressions() {}

    /**
     * Skips problems that the validation rules already report: a malformed spec, a missing expression, invalid member
     * names.
     */
    static Optional<FieldError> check(Policy policy) {
        try {
            return policy.read().content() instanceof PolicyContent.Group group ? check(group) : Optional.empty();
        } catch (FlatObject.MalformedException e) {
            return Optional.empty();
        }
    }

    private static Optional<FieldError> check(PolicyContent.Group group) {
        boolean isCallable = group.policies().keySet().stream()
                .allMatch(name -> MEMBER.matcher(name).matches());
        if (group.expression().isBlank() || group.policies().isEmpty() || !isCallable) {
            return Optional.empty();
        }
        try {
            GroupExpression.parse(group.expression(), group.policies().keySet());
            return Optional.empty();
        } catch (InvalidExpressionException e) {
            return Optional.of(FieldError.invalid(
                    PATH,
                    group.expression(),
                    switch (e.problem()) {
                        case NOT_BOOLEAN -> "must evaluate to bool";
                        case SYNTAX -> "compilation failed: " + e.getMessage();
                    }));
        }
    }
}
