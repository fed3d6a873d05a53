package io.portcullis.audit.condition;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * CEL string functions of Kubernetes that conditions often use. Standard CEL and cel-java's core do not include them.
 */
final class StringFunctions {

    private static final List<Class<?>> THREE_STRINGS = List.of(String.class, String.class, String.class);

    private StringFunctions() {}

    static List<CelFunctionDecl> declarations() {
        return List.of(
                member("lowerAscii", SimpleType.STRING),
                member("upperAscii", SimpleType.STRING),
                member("trim", SimpleType.STRING),
                member("split", ListType.create(SimpleType.STRING), SimpleType.STRING),
                member("indexOf", SimpleType.INT, SimpleType.STRING),
                member("replace", SimpleType.STRING, SimpleType.STRING, SimpleType.STRING));
    }

    private static CelFunctionDecl member(String name, CelType result, CelType... arguments) {
        var all = new ArrayList<CelType>(List.of(SimpleType.STRING));
        all.addAll(List.of(arguments));
        return CelFunctionDecl.newFunctionDeclaration(name, CelOverloadDecl.newMemberOverload(id(name), result, all));
    }

    static List<CelFunctionBinding> bindings() {
        return List.of(
                CelFunctionBinding.from(id("lowerAscii"), String.class, text -> text.toLowerCase(Locale.ROOT)),
                CelFunctionBinding.from(id("upperAscii"), String.class, text -> text.toUpperCase(Locale.ROOT)),
                CelFunctionBinding.from(id("trim"), String.class, String::strip),
                CelFunctionBinding.from(
                        id("split"),
                        String.class,
                        String.class,
                        (text, separator) -> List.of(text.split(Pattern.quote(separator), -1))),
                CelFunctionBinding.from(
                        id("indexOf"), String.class, String.class, (text, part) -> (long) text.indexOf(part)),
                CelFunctionBinding.from(
                        id("replace"),
                        THREE_STRINGS,
                        arguments -> ((String) arguments[0]).replace((String) arguments[1], (String) arguments[2])));
    }

    private static String id(String name) {
        return "portcullis_string_" + name;
    }
}
