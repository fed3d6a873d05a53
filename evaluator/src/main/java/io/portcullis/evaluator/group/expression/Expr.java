package io.portcullis.evaluator.group.expression;

/**
 * A checked group expression. Evaluation is strictly from left to right; {@code &&} and {@code ||} skip the right side
 * if the left side decides. An exception of a member ends the evaluation. Unlike CEL, no operator absorbs an error,
 * because in admission an error must reject.
 */
sealed interface Expr {

    record Constant(boolean value) implements Expr {}

    record Member(String name) implements Expr {}

    record Not(Expr operand) implements Expr {}

    record And(Expr left, Expr right) implements Expr {}

    record Or(Expr left, Expr right) implements Expr {}

    record Equal(Expr left, Expr right) implements Expr {}

    default boolean evaluate(GroupExpression.Members members) {
        return switch (this) {
            case Constant(var value) -> value;
            case Member(var name) -> members.accepts(name);
            case Not(var operand) -> !operand.evaluate(members);
            case And(var left, var right) -> left.evaluate(members) && right.evaluate(members);
            case Or(var left, var right) -> left.evaluate(members) || right.evaluate(members);
            case Equal(var left, var right) -> left.evaluate(members) == right.evaluate(members);
        };
    }
}
