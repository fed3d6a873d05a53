package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.encoding.UrlBuiltins;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.net.URI;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Resolves the {@code $ref} references of a schema. Never fetches anything outside of the schema. */
final class SchemaReferences {

    private static final Reference ROOT = new Reference("", "");

    /** Keys whose value is an object that contains schemas but is not a schema itself. */
    private static final Set<String> MAPS_OF_SCHEMAS = Set.of("properties", "dependencies", "patternProperties");

    private final Map<Reference, RegoValue> documents = new HashMap<>();
    private final IdentityHashMap<RegoValue, Reference> resolved = new IdentityHashMap<>();

    SchemaReferences(RegoValue root) {
        collect(root, ROOT);
        documents.put(ROOT, root);
    }

    /** A URI without its fragment, and the decoded fragment. */
    record Reference(String base, String fragment) {

        static Reference parse(String text) {
            int hash = text.indexOf('#');
            return new Reference(
                    hash < 0 ? text : text.substring(0, hash),
                    hash < 0 ? "" : UrlBuiltins.unescape(text.substring(hash + 1), false));
        }

        Reference resolve(Reference child) {
            if (child.base.isEmpty()) {
                return new Reference(base, child.fragment.isEmpty() ? fragment : child.fragment);
            }
            var uri = URI.create(base).resolve(child.base).normalize().toString();
            boolean relative = URI.create(uri).getScheme() == null && !uri.startsWith("/");
            return new Reference(relative ? "/" + uri : uri, child.fragment);
        }

        boolean isAbsolute() {
            var uri = URI.create(base);
            return uri.getScheme() != null && uri.getHost() != null;
        }

        @Override
        public String toString() {
            return fragment.isEmpty() ? base : base + "#" + fragment;
        }
    }

    private void collect(RegoValue value, Reference scope) {
        switch (value) {
            case ArrayValue(var items) -> items.forEach(item -> collect(item, scope));
            case ObjectValue object -> collectObject(object, scope);
            default -> {}
        }
    }

    private void collectObject(ObjectValue object, Reference scope) {
        var fields = object.fields();
        var id = fields.containsKey(RegoValue.of("id")) ? "id" : "$id";
        var inner = text(object, id).flatMap(text -> resolve(scope, text)).map(reference -> {
            if (documents.putIfAbsent(reference, object) != null) {
                throw new SchemaException("Reference already exists: \"" + reference + "\"");
            }
            return reference;
        });
        var here = inner.orElse(scope);
        text(object, "$ref").flatMap(text -> resolve(here, text)).ifPresent(target -> resolved.put(object, target));
        fields.forEach((key, child) -> {
            var name = key instanceof StringValue(var text) ? text : "";
            if (MAPS_OF_SCHEMAS.contains(name) && child instanceof ObjectValue(var children)) {
                children.values().forEach(each -> collect(each, here));
            } else if (!name.equals("const") && !name.equals("enum")) {
                collect(child, here);
            }
        });
    }

    private static Optional<Reference> resolve(Reference scope, String text) {
        try {
            return Optional.of(scope.resolve(Reference.parse(text)));
        } catch (IllegalArgumentException | BuiltinException e) {
            return Optional.empty();
        }
    }

    private static Optional<String> text(ObjectValue object, String key) {
        return object.fields().get(RegoValue.of(key)) instanceof StringValue(var text)
                ? Optional.of(text)
                : Optional.empty();
    }

    /** Returns the target of a schema's {@code $ref}. */
    Reference target(ObjectValue schema, String written) {
        var target = resolved.get(schema);
        if (target == null) {
            throw new SchemaException("parse " + GoQuote.quote(written, false) + ": invalid reference");
        }
        return target;
    }

    RegoValue find(Reference reference) {
        var whole = documents.get(reference);
        if (whole != null) {
            return whole;
        }
        var document = documents.get(new Reference(reference.base, ""));
        if (document == null) {
            throw new SchemaException(
                    reference.isAbsolute()
                            ? "the schema " + reference + " is outside of this one and is not fetched"
                            : "Reference " + reference + " must be canonical");
        }
        // As in OPA, a fragment that is not a pointer means the whole document.
        return reference.fragment.startsWith("/") ? follow(document, reference.fragment) : document;
    }

    private static RegoValue follow(RegoValue document, String pointer) {
        var at = document;
        for (var part : pointer.substring(1).split("/", -1)) {
            at = step(at, part.replace("~1", "/").replace("~0", "~"));
        }
        return at;
    }

    private static RegoValue step(RegoValue at, String token) {
        return switch (at) {
            case ObjectValue(var fields) -> {
                var next = fields.get(RegoValue.of(token));
                if (next == null) {
                    throw new SchemaException("Object has no key '" + token + "'");
                }
                yield next;
            }
            case ArrayValue(var items) -> {
                if (!token.matches("[+-]?\\d{1,9}")) {
                    throw new SchemaException("Invalid array index '" + token + "'");
                }
                int index = Integer.parseInt(token);
                if (index < 0 || index >= items.size()) {
                    throw new SchemaException("Out of bound array[0," + items.size() + "] index '" + index + "'");
                }
                yield items.get(index);
            }
            case RegoValue _ -> throw new SchemaException("Invalid token reference '" + token + "'");
        };
    }
}
