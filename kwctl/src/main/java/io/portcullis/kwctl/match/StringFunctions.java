package io.portcullis.kwctl.match;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelFunctionOverload;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The string functions that Kubernetes adds to CEL, limited to those that conditions use. Each function is one line of
 * {@link #ALL}.
 */
final class StringFunctions {

    private static final CelType TEXT = SimpleType.STRING;
    private static final CelType NUMBER = SimpleType.INT;
    private static final CelType TEXTS = ListType.create(SimpleType.STRING);

    private record Function(
            String name, CelType result, List<CelType> parameters, List<Class<?>> classes, CelFunctionOverload body) {

        String id() {
            return "text_" + name + "_" + parameters.size();
        }
    }

    private static final List<Function> ALL = List.of(
            of("lowerAscii", TEXT, List.of(TEXT), it -> ((String) it[0]).toLowerCase(Locale.ROOT)),
            of("upperAscii", TEXT, List.of(TEXT), it -> ((String) it[0]).toUpperCase(Locale.ROOT)),
            of("trim", TEXT, List.of(TEXT), it -> ((String) it[0]).strip()),
            of(
                    "replace",
                    TEXT,
                    List.of(TEXT, TEXT, TEXT),
                    it -> ((String) it[0]).replace((String) it[1], (String) it[2])),
            of("indexOf", NUMBER, List.of(TEXT, TEXT), it -> (long) ((String) it[0]).indexOf((String) it[1])),
            of("lastIndexOf", NUMBER, List.of(TEXT, TEXT), it -> (long) ((String) it[0]).lastIndexOf((String) it[1])),
            of("substring", TEXT, List.of(TEXT, NUMBER), it -> substring((String) it[0], (long) it[1], -1)),
            of(
                    "substring",
                    TEXT,
                    List.of(TEXT, NUMBER, NUMBER),
                    it -> substring((String) it[0], (long) it[1], (long) it[2])),
            of("split", TEXTS, List.of(TEXT, TEXT), it -> split((String) it[0], (String) it[1])),
            of("join", TEXT, List.of(TEXTS), it -> join(it[0], "")),
            of("join", TEXT, List.of(TEXTS, TEXT), it -> join(it[0], (String) it[1])));

    private StringFunctions() {}

    static List<CelFunctionDecl> declarations() {
        return ALL.stream()
                .map(Function::name)
                .distinct()
                .map(name -> CelFunctionDecl.newFunctionDeclaration(
                        name,
                        ALL.stream()
                                .filter(function -> function.name.equals(name))
                                .map(function -> CelOverloadDecl.newMemberOverload(
                                        function.id(), function.result, function.parameters))
                                .toList()))
                .toList();
    }

    static List<CelFunctionBinding> bindings() {
        return ALL.stream()
                .map(function -> CelFunctionBinding.from(function.id(), function.classes, function.body))
                .toList();
    }

    private static Function of(String name, CelType result, List<CelType> parameters, CelFunctionOverload body) {
        var classes =
                parameters.stream().<Class<?>>map(StringFunctions::javaClass).toList();
        return new Function(name, result, parameters, classes, body);
    }

    private static Class<?> javaClass(CelType type) {
        if (type.equals(TEXT)) {
            return String.class;
        }
        return type.equals(NUMBER) ? Long.class : List.class;
    }

    private static String substring(String text, long from, long to) {
        var end = to < 0 ? text.length() : to;
        if (from < 0 || from > end || end > text.length()) {
            throw new IllegalArgumentException("substring: index out of range: " + from);
        }
        return text.substring((int) from, (int) end);
    }

    private static List<String> split(String text, String separator) {
        return Arrays.asList(text.split(Pattern.quote(separator), -1));
    }

    private static String join(Object list, String separator) {
        return String.join(
                separator, ((List<?>) list).stream().map(String::valueOf).toList());
    }
}
