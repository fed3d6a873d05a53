package io.portcullis.controller.admission;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.validation.FieldError;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.group.expression.InvalidExpressionException;
import java.util.Optional;
import java.util.regex.Pattern;

/** {@code spec.expression} of groups, read by the very parser that policy servers use: nothing passes here and fails there. */
final class GroupExpressions {

    private static final String PATH = "spec.expression";
    private static final Pattern MEMBER = Pattern.compile("[_a-zA-Z][_a-zA-Z0-9]*");
    private static final Pattern NOT_BOOLEAN = Pattern.compile("expected type 'bool' but found '.*'.*", Pattern.DOTALL);

    private GroupExpressions() {}

    /** What the rules complain about already is left to them: a malformed spec, no expression, names that cannot be called. */
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
            var message = String.valueOf(e.getMessage());
            return Optional.of(FieldError.invalid(
                    PATH,
                    group.expression(),
                    NOT_BOOLEAN.matcher(message).matches()
                            ? "must evaluate to bool"
                            : "compilation failed: " + message));
        }
    }
}
