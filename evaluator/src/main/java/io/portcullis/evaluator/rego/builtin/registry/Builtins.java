package io.portcullis.evaluator.rego.builtin.registry;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.NamedBuiltin;
import io.portcullis.evaluator.rego.builtin.crypto.CryptoBuiltins;
import io.portcullis.evaluator.rego.builtin.debug.DebugBuiltins;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.builtin.encoding.UrlBuiltins;
import io.portcullis.evaluator.rego.builtin.identifier.IdentifierBuiltins;
import io.portcullis.evaluator.rego.builtin.jwt.JwtBuiltins;
import io.portcullis.evaluator.rego.builtin.net.NetBuiltins;
import io.portcullis.evaluator.rego.builtin.regex.RegexBuiltins;
import io.portcullis.evaluator.rego.builtin.schema.SchemaBuiltins;
import io.portcullis.evaluator.rego.builtin.structure.StructureBuiltins;
import io.portcullis.evaluator.rego.builtin.text.SemverBuiltins;
import io.portcullis.evaluator.rego.builtin.text.TextBuiltins;
import io.portcullis.evaluator.rego.builtin.text.UnitBuiltins;
import io.portcullis.evaluator.rego.builtin.time.TimeBuiltins;
import io.portcullis.evaluator.rego.builtin.x509.CertificateBuiltins;
import io.portcullis.evaluator.rego.builtin.x509.PrivateKeyBuiltins;
import io.portcullis.evaluator.rego.builtin.yaml.YamlBuiltins;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** All built-ins that the host provides, by OPA's names. */
public final class Builtins {

    private static final Map<String, Builtin> ALL = all();

    private Builtins() {}

    public static Optional<NamedBuiltin> named(String name) {
        return Optional.ofNullable(ALL.get(name)).map(builtin -> new NamedBuiltin(name, builtin));
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
}
