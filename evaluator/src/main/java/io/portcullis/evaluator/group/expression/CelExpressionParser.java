package io.portcullis.evaluator.group.expression;

import dev.cel.checker.CelStandardDeclarations;
import dev.cel.checker.CelStandardDeclarations.StandardFunction;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.CelValidationException;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelTypes;
import dev.cel.common.types.SimpleType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import io.portcullis.evaluator.group.expression.InvalidExpressionException.Problem;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** Parses text into {@link Expr} with the parser and type checker of cel-java. Only this class uses CEL classes. */
final class CelExpressionParser {

    private static final CelStandardDeclarations OPERATORS = CelStandardDeclarations.newBuilder()
            .includeFunctions(
                    StandardFunction.LOGICAL_AND,
                    StandardFunction.LOGICAL_OR,
                    StandardFunction.LOGICAL_NOT,
                    StandardFunction.EQUALS,
                    StandardFunction.NOT_EQUALS)
            .build();

    private static final Pattern UNDECLARED = Pattern.compile("undeclared reference to '(.*)' \\(in container ''\\)");
    private static final Pattern OPERATOR = Pattern.compile("@in|[^A-Za-z]+");

    private CelExpressionParser() {}

    static Expr parse(String text, Set<String> members) {
        if (text.isBlank()) {
            throw InvalidExpressionException.at(Problem.SYNTAX, "the expression is empty", 1, 1);
        }
        try {
            var tree = compiler(members).compile(text).getAst();
            var converter = new Converter(tree);
            converter.requireBoolean();
            return converter.convert(tree.getExpr());
        } catch (CelValidationException e) {
            throw invalid(e.getErrors(), members);
        }
    }

    private static CelCompiler compiler(Set<String> members) {
        var functions = members.stream()
                .map(name -> CelFunctionDecl.newFunctionDeclaration(
                        name, CelOverloadDecl.newGlobalOverload("member_" + name, SimpleType.BOOL, List.of())))
                .toList();
        return CelCompilerFactory.standardCelCompilerBuilder()
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(OPERATORS)
                .addFunctionDeclarations(functions)
                .build();
    }

    private static InvalidExpressionException invalid(List<CelIssue> errors, Set<String> members) {
        var first = errors.getFirst();
        var location = first.getSourceLocation();
        return InvalidExpressionException.at(
                Problem.SYNTAX,
                explain(first.getMessage(), members),
                Math.max(1, location.getLine()),
                Math.max(0, location.getColumn()) + 1);
    }

    /**
     * Rewrites a CEL message for the author of the expression, because CEL uses internal function names for operators.
     */
    private static String explain(String message, Set<String> members) {
        var undeclared = UNDECLARED.matcher(message);
        if (!undeclared.matches()) {
            return message;
        }
        var name = undeclared.group(1);
        if (members.contains(name)) {
            return "'" + name + "' must be called: " + name + "()";
        }
        return OPERATOR.matcher(name).matches()
                ? "the operator " + name.replaceAll("[_@]", "") + " is not allowed, only !, &&, ||, == and != are"
                : "'" + name + "' is not a member of the group";
    }

    /** Converts the parts of CEL that group expressions allow and rejects all others with their position. */
    private record Converter(CelAbstractSyntaxTree tree) {

        void requireBoolean() {
            var type = tree.getResultType();
            if (!type.equals(SimpleType.BOOL) && !type.equals(SimpleType.DYN)) {
                throw invalid(
                        Problem.NOT_BOOLEAN,
                        tree.getExpr(),
                        "expected type 'bool' but found '" + CelTypes.format(type) + "'");
            }
        }

        Expr convert(CelExpr node) {
            return switch (node.exprKind().getKind()) {
                case CONSTANT -> constant(node);
                case CALL -> call(node);
                case IDENT ->
                    throw invalid(
                            node,
                            "'" + node.ident().name() + "' must be called: "
                                    + node.ident().name() + "()");
                case SELECT, LIST, MAP, STRUCT, COMPREHENSION, NOT_SET ->
                    throw invalid(node, "only member calls, true, false, !, &&, ||, == and != are allowed");
            };
        }

        private Expr constant(CelExpr node) {
            if (node.constant().getKind() != CelConstant.Kind.BOOLEAN_VALUE) {
                throw invalid(node, "only the literals true and false are allowed");
            }
            return new Expr.Constant(node.constant().booleanValue());
        }

        private Expr call(CelExpr node) {
            var call = node.call();
            var arguments = call.args();
            return switch (call.function()) {
                case "_&&_" -> new Expr.And(convert(arguments.get(0)), convert(arguments.get(1)));
                case "_||_" -> new Expr.Or(convert(arguments.get(0)), convert(arguments.get(1)));
                case "!_" -> new Expr.Not(convert(arguments.get(0)));
                case "_==_" -> new Expr.Equal(convert(arguments.get(0)), convert(arguments.get(1)));
                case "_!=_" -> new Expr.Not(new Expr.Equal(convert(arguments.get(0)), convert(arguments.get(1))));
                default -> new Expr.Member(call.function());
            };
        }

        private InvalidExpressionException invalid(CelExpr node, String message) {
            return invalid(Problem.SYNTAX, node, message);
        }

        private InvalidExpressionException invalid(Problem problem, CelExpr node, String message) {
            int offset = tree.getSource().getPositionsMap().getOrDefault(node.id(), 0);
            var location = tree.getSource().getOffsetLocation(offset);
            return InvalidExpressionException.at(
                    problem,
                    message,
                    location.map(l -> l.getLine()).orElse(1),
                    location.map(l -> l.getColumn()).orElse(0) + 1);
        }
    }
}
