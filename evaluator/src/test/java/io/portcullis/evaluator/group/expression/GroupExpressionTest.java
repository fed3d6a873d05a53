package io.portcullis.evaluator.group.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the table of evaluation.md section 11.2; {@code a} accepts and {@code b} rejects. */
class GroupExpressionTest {

    private static final Set<String> MEMBERS = new LinkedHashSet<>(List.of("a", "b"));

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "a() && b(); false; a b",
                "a() || b(); true; a",
                "b() || a(); true; b a",
                "b() && a(); false; b",
                "!b(); true; b",
                "!(a() && b()); true; a b",
                "!!a(); true; a",
                "a() == b(); false; a b",
                "a() != b(); true; a b",
                "a() == true; true; a",
                "true; true; ''",
                "false; false; ''",
                "a() && a() && a(); true; a a a",
                "a() || b() && b(); true; a",
                "b() || (a() && !b()); true; b a b",
            })
    void evaluatesFromLeftToRight(String expression, boolean expected, String evaluated) {
        var order = new ArrayList<String>();

        var result = GroupExpression.parse(expression, MEMBERS).evaluate(member -> {
            order.add(member);
            return member.equals("a");
        });

        assertThat(result).isEqualTo(expected);
        assertThat(String.join(" ", order)).isEqualTo(evaluated);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2 > 1",
                "a() & b()",
                "a() | b()",
                "a() ^ b()",
                "if a() { b() } else { true }",
                "() ?? a()",
                "eval(\"true\")",
                "\"foo\" == \"foo\"",
                "1 == 1.0",
                "1 == 1",
                "a() ? b() : true",
                "a() and b()",
                "not a()",
                "a(); b()",
                "let x = a(); x",
                "a() + 1",
                "1 + 1",
                "a",
                "a(1)",
                "A()",
                "a() && nope()",
                "b() && nope()",
                "a() || nope()",
                "",
                "   ",
                "[true] == [true]",
                "{true: true} == {}",
                "[a()].exists(x, x)",
                "has(a().b)",
                "a() in [true]",
                "null == null",
                "dyn(true)",
                "type(true) == bool",
                "a() == null",
            })
    void rejectsAllOtherExpressions(String expression) {
        assertThatThrownBy(() -> GroupExpression.parse(expression, MEMBERS))
                .isInstanceOf(InvalidExpressionException.class)
                .hasMessageMatching("(?s).+ \\(line \\d+, position \\d+\\)");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '`',
            value = {
                "a() && nope(); 'nope' is not a member of the group (line 1, position 12)",
                "a && b(); 'a' must be called: a() (line 1, position 1)",
                "1 + 1; the operator + is not allowed, only !, &&, ||, == and != are (line 1, position 3)",
                "2 > 1; the operator > is not allowed, only !, &&, ||, == and != are (line 1, position 3)",
                "a() ? b() : true; the operator ?: is not allowed, only !, &&, ||, == and != are (line 1, position 5)",
                "a() in [true]; the operator in is not allowed, only !, &&, ||, == and != are (line 1, position 5)",
                "1 == 1; only the literals true and false are allowed (line 1, position 1)",
                "``; the expression is empty (line 1, position 1)",
                "1; expected type 'bool' but found 'int' (line 1, position 1)",
                "{true: a()}; expected type 'bool' but found 'map(bool, bool)' (line 1, position 1)",
            })
    void reportsCauseAndPosition(String expression, String message) {
        assertThatThrownBy(() -> GroupExpression.parse(expression, MEMBERS)).hasMessage(message);
    }

    /** An expression that is too long or too deep is rejected or evaluated, but never kills the thread. */
    @ParameterizedTest
    @ValueSource(strings = {"!", "(", "a() == ", "a() && ", "a() || ", "!(a() == "})
    void survivesExpressionsOfAnySize(String part) {
        for (int size : List.of(10, 300, 3_000, 60_000)) {
            try {
                GroupExpression.parse(part.repeat(size) + "a()", MEMBERS).evaluate(_ -> true);
            } catch (InvalidExpressionException e) {
                assertThat(e).hasMessageMatching("(?s).{1,300} \\(line \\d+, position \\d+\\)");
            }
        }
    }

    @Test
    void acceptsCommentsAndLineBreaks() {
        var expression = GroupExpression.parse("a() // first\n  && !b() // second\n", MEMBERS);

        assertThat(expression.evaluate(member -> member.equals("a"))).isTrue();
    }

    @Test
    void neverAbsorbsAnError() {
        var expression = GroupExpression.parse("a() || true", MEMBERS);

        assertThatThrownBy(() -> expression.evaluate(_ -> {
                    throw new IllegalStateException("broken member");
                }))
                .hasMessage("broken member");
    }

    @Test
    void returnsTheUsedMembers() {
        assertThat(GroupExpression.parse("b() || b() == a()", MEMBERS).usedMembers())
                .containsExactly("b", "a");
        assertThat(GroupExpression.parse("true", MEMBERS).usedMembers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"this", "sync", "async", "match", "with", "print", "eval", "call", "Fn", "type_of", "is_shared"})
    void acceptsReservedWordsOfOtherLanguagesAsNames(String name) {
        assertThat(GroupExpression.parse(name + "()", Set.of(name)).evaluate(_ -> true))
                .isTrue();
    }
}
