package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.wasm.TrapException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;

/** All built-ins that the host provides, by OPA's names. */
public final class Builtins {

    private static final Map<String, Builtin> ALL = all();

    private Builtins() {}

    public static Optional<Builtin> named(String name) {
        return Optional.ofNullable(ALL.get(name));
    }

    /** The sorted names of all built-ins. */
    public static List<String> names() {
        return ALL.keySet().stream().sorted().toList();
    }

    /** Returns the sorted names that the host does not provide. A module that requires them cannot run. */
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

    /** Calls a built-in and adds its name to error messages. */
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
            // Unexpected exceptions of a parser mean invalid input, never a failure of the host.
            throw new BuiltinException(name + ": malformed operand", e);
        }
    }
}
