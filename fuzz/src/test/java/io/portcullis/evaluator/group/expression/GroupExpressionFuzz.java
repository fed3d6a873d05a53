package io.portcullis.evaluator.group.expression;

import io.portcullis.fuzz.Inputs;
import java.util.Set;

/** Group expressions: an InvalidExpressionException, or an expression that evaluates only its members. */
public final class GroupExpressionFuzz {

    private static final Set<String> MEMBERS = Set.of("a", "b", "reject_latest");

    private GroupExpressionFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var expression = GroupExpression.parse(Inputs.text(input), MEMBERS);
            Inputs.check(MEMBERS.containsAll(expression.usedMembers()), "only members are used");
            expression.evaluate(member -> {
                Inputs.check(expression.usedMembers().contains(member), "only used members are evaluated");
                return member.length() % 2 == 0;
            });
        } catch (InvalidExpressionException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
