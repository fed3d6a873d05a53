package io.portcullis.evaluator.group.expression;

import io.portcullis.fuzz.Inputs;
import java.util.HashSet;
import java.util.Set;

/** Group expressions: an InvalidExpressionException, or an expression that asks only its members. */
public final class GroupExpressionFuzz {

    private static final Set<String> MEMBERS = Set.of("a", "b", "reject_latest");

    private GroupExpressionFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        try {
            var expression = GroupExpression.parse(Inputs.text(input), MEMBERS);
            Inputs.check(MEMBERS.containsAll(expression.usedMembers()), "only members are used");
            var asked = new HashSet<String>();
            expression.evaluate(member -> {
                Inputs.check(asked.add(member), "a member is asked once");
                return member.length() % 2 == 0;
            });
        } catch (InvalidExpressionException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        }
    }
}
