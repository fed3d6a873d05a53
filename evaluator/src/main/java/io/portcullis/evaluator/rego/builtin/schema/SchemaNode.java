package io.portcullis.evaluator.rego.builtin.schema;

import com.google.re2j.Pattern;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One parsed schema; null or empty fields are absent keywords. {@link SchemaCompiler} fills it and needs incomplete
 * nodes, because schemas may refer to themselves. Unchanged after compilation.
 */
final class SchemaNode {

    /** An entry of {@code dependencies}: required properties, or an additional schema. */
    sealed interface Dependency {
        record Properties(List<String> names) implements Dependency {}

        record Schema(SchemaNode node) implements Dependency {}
    }

    /** The value of a schema that is only {@code true} or {@code false}. */
    @Nullable
    Boolean always;

    /** The schema that {@code $ref} names; it replaces all other keywords. */
    @Nullable
    SchemaNode target;

    final List<String> types = new ArrayList<>();

    @Nullable
    String constant;

    @Nullable
    List<String> allowed;

    @Nullable
    String format;

    final List<SchemaNode> anyOf = new ArrayList<>();
    final List<SchemaNode> oneOf = new ArrayList<>();
    final List<SchemaNode> allOf = new ArrayList<>();

    @Nullable
    SchemaNode not;

    @Nullable
    SchemaNode condition;

    @Nullable
    SchemaNode then;

    @Nullable
    SchemaNode otherwise;

    @Nullable
    BigDecimal multipleOf;

    @Nullable
    BigDecimal minimum;

    @Nullable
    BigDecimal maximum;

    @Nullable
    BigDecimal above;

    @Nullable
    BigDecimal below;

    @Nullable
    Long minLength;

    @Nullable
    Long maxLength;

    @Nullable
    Pattern pattern;

    /** One schema for all items, or one for each position. */
    @Nullable
    SchemaNode everyItem;

    final List<SchemaNode> items = new ArrayList<>();

    @Nullable
    SchemaNode otherItems;

    @Nullable
    Long minItems;

    @Nullable
    Long maxItems;

    boolean uniqueItems;

    @Nullable
    SchemaNode contains;

    final Map<String, SchemaNode> properties = new TreeMap<>();
    final Map<Pattern, SchemaNode> patternProperties = new LinkedHashMap<>();

    @Nullable
    SchemaNode otherProperties;

    @Nullable
    SchemaNode propertyNames;

    final List<String> required = new ArrayList<>();

    @Nullable
    Long minProperties;

    @Nullable
    Long maxProperties;

    final Map<String, Dependency> dependencies = new TreeMap<>();

    static SchemaNode always(boolean valid) {
        var node = new SchemaNode();
        node.always = valid;
        return node;
    }

    boolean isNever() {
        return Boolean.FALSE.equals(always);
    }

    /** Returns the types as messages show them: a single type, or a list in brackets. */
    String typeNames() {
        return types.size() == 1 ? types.getFirst() : "[" + String.join(",", types) + "]";
    }
}
