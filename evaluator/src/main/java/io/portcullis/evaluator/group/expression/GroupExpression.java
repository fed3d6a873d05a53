package io.portcullis.evaluator.group.expression;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * The expression of a policy group, checked against the names of its members. Immutable and thread-safe.
 *
 * <pre>
 * expr  := or ; or := and { "||" and } ; and := cmp { "&amp;&amp;" cmp } ; cmp := un { ("==" | "!=") un }
 * un    := "!" un | prim ;  prim := "true" | "false" | member "(" ")" | "(" expr ")"
 * </pre>
 */
public final class GroupExpression {

    private final Expr root;

    private GroupExpression(Expr root) {
        this.root = root;
    }

    /**
     * @param members the names that may be called
     * @throws InvalidExpressionException if the text does not match the grammar, names an unknown member, or is not a
     *     boolean
     */
    public static GroupExpression parse(String text, Set<String> members) {
        return new GroupExpression(CelExpressionParser.parse(text, members));
    }

    /** Evaluates the expression. Exceptions from {@code members} propagate unchanged. */
    public boolean evaluate(Members members) {
        return root.evaluate(members);
    }

    /** The members that the expression names, in order of appearance. Other members are never evaluated. */
    public Set<String> usedMembers() {
        var used = new LinkedHashSet<String>();
        collect(root, used);
        return used;
    }

    private static void collect(Expr expr, Set<String> used) {
        switch (expr) {
            case Expr.Constant _ -> {}
            case Expr.Member(var name) -> used.add(name);
            case Expr.Not(var operand) -> collect(operand, used);
            case Expr.And(var left, var right) -> collectBoth(left, right, used);
            case Expr.Or(var left, var right) -> collectBoth(left, right, used);
            case Expr.Equal(var left, var right) -> collectBoth(left, right, used);
        }
    }

    private static void collectBoth(Expr left, Expr right, Set<String> used) {
        collect(left, used);
        collect(right, used);
    }

    /** Evaluates one member. */
    @FunctionalInterface
    public interface Members {
        boolean accepts(String member);
    }
}
