package io.portcullis.evaluator.rego.builtin.schema;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.portcullis.evaluator.rego.builtin.regex.BoundedRegex;
import io.portcullis.evaluator.rego.builtin.schema.SchemaNode.Dependency;
import io.portcullis.evaluator.rego.builtin.schema.SchemaReferences.Reference;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Parses a JSON schema of draft 4, 6 or 7. */
final class SchemaCompiler {

    private static final List<String> TYPES =
            List.of("array", "boolean", "integer", "number", "null", "object", "string");
    private static final String SCHEMA = "Valid Schema";

    /** The maximum nesting depth; deeper schemas could exhaust the stack. No hand-written schema needs more. */
    private static final int MAX_DEPTH = 200;

    private final SchemaDraft draft;
    private final SchemaReferences references;
    private final Map<Reference, SchemaNode> referenced = new HashMap<>();
    private int depth;

    private SchemaCompiler(RegoValue root) {
        this.draft = SchemaDraft.of(root);
        this.references = new SchemaReferences(root);
    }

    /** @throws SchemaException if it is not a schema */
    static SchemaNode compile(RegoValue root) {
        return new SchemaCompiler(root).node(root);
    }

    private SchemaNode node(RegoValue value) {
        var node = new SchemaNode();
        fill(node, value);
        return node;
    }

    private void fill(SchemaNode node, RegoValue value) {
        if (value instanceof BooleanValue(var valid) && draft.atLeast(SchemaDraft.DRAFT_6)) {
            node.always = valid;
            return;
        }
        if (!(value instanceof ObjectValue object)) {
            throw new SchemaException("Expected: " + SCHEMA + ", given: Invalid JSON");
        }
        if (++depth > MAX_DEPTH) {
            throw new SchemaException("the schema nests deeper than " + MAX_DEPTH + " levels");
        }
        fill(node, new SchemaKeywords(object));
        depth--;
    }

    private void fill(SchemaNode node, SchemaKeywords in) {
        in.string(draft == SchemaDraft.DRAFT_4 || (draft == SchemaDraft.ANY && in.get("id") != null) ? "id" : "$id");
        definitions(in);
        in.string("title");
        in.string("description");
        if (follow(node, in)) {
            return;
        }
        types(node, in.get("type"));
        objects(node, in);
        arrays(node, in);
        numbers(node, in);
        strings(node, in);
        counts(node, in);
        values(node, in);
        combinations(node, in);
    }

    private void definitions(SchemaKeywords in) {
        var definitions = in.get("definitions");
        if (definitions == null) {
            return;
        }
        if (!(definitions instanceof ObjectValue(var fields))
                || !fields.values().stream().allMatch(SchemaCompiler::mayBeSchema)) {
            throw SchemaException.wrongType("Array Of Schemas", "definitions");
        }
        fields.values().forEach(this::node);
    }

    private static boolean mayBeSchema(RegoValue value) {
        return value instanceof BooleanValue || value instanceof ObjectValue;
    }

    /**
     * @return whether the reference is all that must be parsed; for an already parsed reference, the keywords
     *     beside it are still checked
     */
    private boolean follow(SchemaNode node, SchemaKeywords in) {
        var written = in.string("$ref");
        if (written == null) {
            return false;
        }
        var reference = references.target(in.object(), written);
        var existing = referenced.get(reference);
        if (existing != null) {
            node.target = existing;
            return false;
        }
        var target = new SchemaNode();
        referenced.put(reference, target);
        var schema = references.find(reference);
        if (!mayBeSchema(schema)) {
            throw new SchemaException(SCHEMA + " must be of type object");
        }
        fill(target, schema);
        node.target = target;
        return true;
    }

    private static void types(SchemaNode node, @Nullable RegoValue value) {
        var names = switch (value) {
            case null -> List.<RegoValue>of();
            case StringValue name -> List.<RegoValue>of(name);
            case ArrayValue(var items) -> items;
            case RegoValue _ -> throw SchemaException.wrongType("type", "string/Array Of Strings");
        };
        for (var name : names) {
            if (!(name instanceof StringValue(var type))) {
                throw SchemaException.wrongType("type", "string/Array Of Strings");
            }
            if (!TYPES.contains(type)) {
                throw new SchemaException("has a primitive type that is NOT VALID -- given: /" + type
                        + "/ Expected valid values are:[" + String.join(" ", TYPES) + "]");
            }
            if (node.types.contains(type)) {
                throw new SchemaException(type + " type is duplicated");
            }
            node.types.add(type);
        }
    }

    private void objects(SchemaNode node, SchemaKeywords in) {
        in.map("properties", "Properties")
                .forEach((name, schema) -> node.properties.put(SchemaKeywords.text(name), node(schema)));
        node.otherProperties = schemaOrFlag(in, "additionalProperties");
        switch (in.get("patternProperties")) {
            case null -> {}
            case ObjectValue(var fields) ->
                fields.forEach((name, schema) -> {
                    var text = SchemaKeywords.text(name);
                    node.patternProperties.put(pattern(text, "Invalid regex pattern '" + text + "'"), node(schema));
                });
            case RegoValue _ -> throw SchemaException.wrongType(SCHEMA, "patternProperties");
        }
        if (draft.atLeast(SchemaDraft.DRAFT_6)) {
            node.propertyNames =
                    subSchema(in, "propertyNames", _ -> SchemaException.wrongType(SCHEMA, "patternProperties"));
        }
        in.map("dependencies", "dependencies")
                .forEach(
                        (name, dependency) -> node.dependencies.put(SchemaKeywords.text(name), dependency(dependency)));
    }

    private Dependency dependency(RegoValue value) {
        if (mayBeSchema(value)) {
            return new Dependency.Schema(node(value));
        }
        if (value instanceof ArrayValue(var items) && items.stream().allMatch(StringValue.class::isInstance)) {
            return new Dependency.Properties(
                    items.stream().map(SchemaKeywords::text).toList());
        }
        throw new SchemaException("Dependency must be of type Schema Or Array Of Strings");
    }

    private @Nullable SchemaNode schemaOrFlag(SchemaKeywords in, String key) {
        return switch (in.get(key)) {
            case null -> null;
            case BooleanValue(var flag) -> SchemaNode.always(flag);
            case ObjectValue schema -> node(schema);
            case RegoValue _ -> throw SchemaException.wrongType("boolean/" + SCHEMA, key);
        };
    }

    private @Nullable SchemaNode subSchema(SchemaKeywords in, String key, Function<String, SchemaException> otherwise) {
        var value = in.get(key);
        if (value == null) {
            return null;
        }
        if (!mayBeSchema(value)) {
            throw otherwise.apply(key);
        }
        return node(value);
    }

    private static SchemaException mustBeObject(String key) {
        return new SchemaException(key + " must be of an object");
    }

    private static Pattern pattern(String regex, String problem) {
        try {
            return BoundedRegex.compile(regex);
        } catch (PatternSyntaxException e) {
            throw new SchemaException(problem);
        }
    }

    private void arrays(SchemaNode node, SchemaKeywords in) {
        switch (in.get("items")) {
            case null -> {}
            case ArrayValue(var items)
            when items.stream().allMatch(SchemaCompiler::mayBeSchema) ->
                items.forEach(item -> node.items.add(node(item)));
            case RegoValue value when mayBeSchema(value) -> node.everyItem = node(value);
            case RegoValue _ -> throw SchemaException.wrongType(SCHEMA + "/Array Of Schemas", "items");
        }
        node.otherItems = schemaOrFlag(in, "additionalItems");
    }

    private void numbers(SchemaNode node, SchemaKeywords in) {
        var multipleOf = in.get("multipleOf");
        if (multipleOf != null) {
            if (!(multipleOf instanceof NumberValue number)) {
                throw SchemaException.wrongType("Number", "multipleOf");
            }
            if (number.value().signum() <= 0) {
                throw new SchemaException("multipleOf must be strictly greater than 0");
            }
            node.multipleOf = number.value();
        }
        bound(in, "minimum", "exclusiveMinimum", (inclusive, exclusive) -> {
            node.minimum = inclusive;
            node.above = exclusive;
        });
        bound(in, "maximum", "exclusiveMaximum", (inclusive, exclusive) -> {
            node.maximum = inclusive;
            node.below = exclusive;
        });
    }

    /** Reads a bound. In draft 4, a flag excludes the bound itself; later drafts have a separate exclusive bound. */
    private void bound(
            SchemaKeywords in,
            String key,
            String exclusiveKey,
            BiConsumer<@Nullable BigDecimal, @Nullable BigDecimal> set) {
        var bound = in.number(key);
        var exclusive = in.get(exclusiveKey);
        boolean mayBeFlag = draft == SchemaDraft.DRAFT_4 || draft == SchemaDraft.ANY;
        switch (exclusive) {
            case null -> set.accept(bound, null);
            case BooleanValue(var excluded)
            when mayBeFlag -> {
                if (bound == null) {
                    throw new SchemaException(exclusiveKey + " cannot be used without " + key);
                }
                set.accept(excluded ? null : bound, excluded ? bound : null);
            }
            case NumberValue number when draft != SchemaDraft.DRAFT_4 -> set.accept(bound, number.value());
            case RegoValue _ ->
                throw SchemaException.wrongType(
                        switch (draft) {
                            case DRAFT_4 -> "boolean";
                            case DRAFT_6, DRAFT_7 -> "number";
                            case ANY -> "boolean/number";
                        },
                        exclusiveKey);
        }
    }

    private static void strings(SchemaNode node, SchemaKeywords in) {
        node.minLength = in.count("minLength");
        node.maxLength = in.count("maxLength");
        ordered(node.minLength, node.maxLength, "minLength", "maxLength");
        var pattern = in.string("pattern");
        if (pattern != null) {
            node.pattern = pattern(pattern, "pattern must be a valid regex");
        }
        node.format = in.string("format");
    }

    private static void ordered(@Nullable Long low, @Nullable Long high, String lowKey, String highKey) {
        if (low != null && high != null && low > high) {
            throw new SchemaException(lowKey + " cannot be greater than " + highKey);
        }
    }

    private void counts(SchemaNode node, SchemaKeywords in) {
        node.minProperties = in.count("minProperties");
        node.maxProperties = in.count("maxProperties");
        ordered(node.minProperties, node.maxProperties, "minProperties", "maxProperties");
        var seen = new HashSet<String>();
        for (var name : Objects.requireNonNullElse(in.list("required"), List.<RegoValue>of())) {
            if (!(name instanceof StringValue(var property))) {
                throw SchemaException.wrongType("string", "required");
            }
            addUnique(node.required, seen, property, "required");
        }
        node.minItems = in.count("minItems");
        node.maxItems = in.count("maxItems");
        node.uniqueItems = in.flag("uniqueItems");
        var contains = in.get("contains");
        if (contains != null && draft.atLeast(SchemaDraft.DRAFT_6)) {
            node.contains = node(contains);
        }
    }

    private static void addUnique(List<String> all, Set<String> seen, String item, String key) {
        if (!seen.add(item)) {
            throw new SchemaException(key + " items must be unique");
        }
        all.add(item);
    }

    private void values(SchemaNode node, SchemaKeywords in) {
        var constant = in.get("const");
        if (constant != null && draft.atLeast(SchemaDraft.DRAFT_6)) {
            node.constant = SchemaValues.canonical(constant);
        }
        var allowed = in.list("enum");
        if (allowed != null) {
            var texts = new ArrayList<String>();
            var seen = new HashSet<String>();
            allowed.forEach(value -> addUnique(texts, seen, SchemaValues.canonical(value), "enum"));
            node.allowed = texts;
        }
    }

    private void combinations(SchemaNode node, SchemaKeywords in) {
        all(in.list("oneOf"), node.oneOf);
        all(in.list("anyOf"), node.anyOf);
        all(in.list("allOf"), node.allOf);
        node.not = subSchema(in, "not", SchemaCompiler::mustBeObject);
        if (draft.atLeast(SchemaDraft.DRAFT_7)) {
            node.condition = subSchema(in, "if", SchemaCompiler::mustBeObject);
            node.then = subSchema(in, "then", SchemaCompiler::mustBeObject);
            node.otherwise = subSchema(in, "else", SchemaCompiler::mustBeObject);
        }
    }

    private void all(@Nullable List<RegoValue> schemas, List<SchemaNode> nodes) {
        if (schemas != null) {
            schemas.forEach(schema -> nodes.add(node(schema)));
        }
    }
}
