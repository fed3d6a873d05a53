package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.wasm.TrapException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/** All builtins that the host offers, by OPA's names. */
public final class Builtins {

    private static final Map<String, Builtin> ALL = all();

    private Builtins() {}

    public static Optional<Builtin> named(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    /** The names of all, sorted. */
    public static List<String> names() {
        return ALL.keySet().stream().sorted().toList();
    }

    /** The names that the host does not offer, sorted: what a module that asks for them cannot be run with. */
    public static List<String> missing(Collection<String> names) {
        return names.stream().filter(name -> !ALL.containsKey(name)).sorted().toList();
    }

    private static Map<String, Builtin> all() {
        var all = new HashMap<String, Builtin>();
        all.putAll(TextBuiltins.ALL);
        all.putAll(EncodingBuiltins.ALL);
        all.putAll(UrlBuiltins.ALL);
        all.putAll(YamlBuiltins.ALL);
        all.putAll(RegexBuiltins.ALL);
        all.putAll(SemverBuiltins.ALL);
        all.putAll(UnitBuiltins.ALL);
        all.putAll(TimeBuiltins.ALL);
        all.putAll(NetBuiltins.ALL);
        all.putAll(StructureBuiltins.ALL);
        all.putAll(IdentifierBuiltins.ALL);
        all.putAll(CryptoBuiltins.ALL);
        all.putAll(JwtBuiltins.ALL);
        all.putAll(PrivateKeyBuiltins.ALL);
        all.putAll(CertificateBuiltins.ALL);
        all.putAll(SchemaBuiltins.ALL);
        all.putAll(DebugBuiltins.ALL);
        return Map.copyOf(all);
    }

    /** Calls a builtin, naming it in what goes wrong. */
    public static RegoValue call(String name, Builtin builtin, List<RegoValue> arguments, EvaluationScope scope) {
        scope.beginCall();
        scope.checkDeadline();
        try {
            return builtin.call(new Operands(arguments), scope);
        } catch (StackOverflowError e) {
            throw new TrapException(
                    TrapException.Kind.LIMIT, name + ": an operand is too long or nests too deeply", List.of(), null);
        } catch (BuiltinException e) {
            var message = String.valueOf(e.getMessage());
            throw new BuiltinException(message.startsWith(name) ? message : name + ": " + message, e);
        } catch (IllegalArgumentException
                | ArithmeticException
                | NoSuchElementException
                | IndexOutOfBoundsException e) {
            // Input that a reader did not foresee is bad input, never a failure of the host.
            throw new BuiltinException(name + ": malformed operand", e);
        }
    }
}
