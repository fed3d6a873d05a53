package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.regex.BoundedRegex;
import io.portcullis.evaluator.rego.builtin.schema.SchemaNode.Dependency;
import io.portcullis.evaluator.rego.builtin.schema.SchemaResult.Place;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Validates a document against a schema. Visits objects in key order; OPA's order is random. */
final class SchemaCheck {

    /** The maximum depth. A schema that refers to itself without descending into the document would never end. */
    private static final int MAX_DEPTH = 1000;

    private final EvaluationScope scope;
    private int depth;

    SchemaCheck(EvaluationScope scope) {
        this.scope = scope;
    }

    SchemaResult check(SchemaNode schema, RegoValue value) {
        return checkSeparately(schema, value, Place.ROOT);
    }

    private SchemaResult checkSeparately(SchemaNode schema, RegoValue value, Place place) {
        var result = new SchemaResult(scope);
        check(schema, value, place, result);
        return result;
    }

    private void check(SchemaNode schema, RegoValue value, Place place, SchemaResult result) {
        scope.checkDeadline();
        if (++depth > MAX_DEPTH) {
            throw new BuiltinException("the schema or the document nests too deeply");
        }
        if (schema.isNever()) {
            result.add(place, "false", "False always fails validation");
        } else if (schema.target != null) {
            check(schema.target, value, place, result);
        } else if (schema.always == null) {
            checkKeywords(schema, value, place, result);
        }
        depth--;
    }

    private void checkKeywords(SchemaNode schema, RegoValue value, Place place, SchemaResult result) {
        if (!schema.types.isEmpty() && !isOfType(schema, value)) {
            result.add(
                    place,
                    "invalid_type",
                    "Invalid type. Expected: " + schema.typeNames() + ", given: " + typeOf(value));
            return;
        }
        combinations(schema, value, place, result);
        switch (value) {
            case NumberValue number -> number(schema, number.value(), place, result);
            case ArrayValue(var items) -> items(schema, items, place, result);
            case ObjectValue(var fields) -> fields(schema, fields, place, result);
            case StringValue _, BooleanValue _, NullValue _, SetValue _ -> {}
        }
        values(schema, value, place, result);
        if (value instanceof StringValue(var text)) {
            text(schema, text, place, result);
        }
        if (value instanceof ObjectValue(var fields)) {
            schema.properties.forEach((name, property) -> {
                var field = fields.get(RegoValue.of(name));
                if (field != null) {
                    check(property, field, place.child(name), result);
                }
            });
        }
        result.passed();
    }

    private static String typeOf(RegoValue value) {
        return value instanceof NumberValue number && isWhole(number.value()) ? "integer" : value.typeName();
    }

    private static boolean isOfType(SchemaNode schema, RegoValue value) {
        return schema.types.contains(value.typeName()) || schema.types.contains(typeOf(value));
    }

    private static boolean isWhole(BigDecimal number) {
        return number.signum() == 0 || number.stripTrailingZeros().scale() <= 0;
    }

    private void combinations(SchemaNode schema, RegoValue value, Place place, SchemaResult result) {
        anyOf(schema.anyOf, value, place, result);
        oneOf(schema.oneOf, value, place, result);
        allOf(schema.allOf, value, place, result);
        if (schema.not != null && checkSeparately(schema.not, value, place).isValid()) {
            result.add(place, "number_not", "Must not validate the schema (not)");
        }
        if (value instanceof ObjectValue(var fields)) {
            dependencies(schema, value, fields, place, result);
        }
        if (schema.condition != null) {
            condition(schema, schema.condition, value, place, result);
        }
        result.passed();
    }

    private void anyOf(List<SchemaNode> schemas, RegoValue value, Place place, SchemaResult result) {
        SchemaResult best = null;
        for (var schema : schemas) {
            var one = checkSeparately(schema, value, place);
            if (one.isValid()) {
                return;
            }
            best = SchemaResult.closer(best, one);
        }
        if (best != null) {
            result.add(place, "number_any_of", "Must validate at least one schema (anyOf)");
            result.merge(best);
        }
    }

    private void oneOf(List<SchemaNode> schemas, RegoValue value, Place place, SchemaResult result) {
        SchemaResult best = null;
        int valid = 0;
        for (var schema : schemas) {
            var one = checkSeparately(schema, value, place);
            if (one.isValid()) {
                valid++;
            } else {
                best = SchemaResult.closer(best, one);
            }
        }
        if (!schemas.isEmpty() && valid != 1) {
            result.add(place, "number_one_of", "Must validate one and only one schema (oneOf)");
            if (valid == 0 && best != null) {
                result.merge(best);
            }
        }
    }

    private void allOf(List<SchemaNode> schemas, RegoValue value, Place place, SchemaResult result) {
        boolean all = true;
        for (var schema : schemas) {
            var one = checkSeparately(schema, value, place);
            all &= one.isValid();
            result.merge(one);
        }
        if (!all) {
            result.add(place, "number_all_of", "Must validate all the schemas (allOf)");
        }
    }

    private void dependencies(
            SchemaNode schema, RegoValue value, Map<RegoValue, RegoValue> fields, Place place, SchemaResult result) {
        schema.dependencies.forEach((name, dependency) -> {
            if (!fields.containsKey(RegoValue.of(name))) {
                return;
            }
            switch (dependency) {
                case Dependency.Schema(var node) -> check(node, value, place, result);
                case Dependency.Properties(var names) ->
                    names.stream()
                            .filter(needed -> !fields.containsKey(RegoValue.of(needed)))
                            .forEach(
                                    needed -> result.add(place, "missing_dependency", "Has a dependency on " + needed));
            }
        });
    }

    private void condition(SchemaNode schema, SchemaNode condition, RegoValue value, Place place, SchemaResult result) {
        boolean holds = checkSeparately(condition, value, place).isValid();
        var next = holds ? schema.then : schema.otherwise;
        if (next == null) {
            return;
        }
        var outcome = checkSeparately(next, value, place);
        if (!outcome.isValid()) {
            result.add(
                    place,
                    holds ? "condition_then" : "condition_else",
                    holds
                            ? "Must validate \"then\" as \"if\" was valid"
                            : "Must validate \"else\" as \"if\" was not valid");
            result.merge(outcome);
        }
    }

    private static void values(SchemaNode schema, RegoValue value, Place place, SchemaResult result) {
        if (schema.constant != null && !schema.constant.equals(SchemaValues.canonical(value))) {
            result.add(place, "const", place.field() + " does not match: " + schema.constant);
        }
        if (schema.allowed != null && !schema.allowed.contains(SchemaValues.canonical(value))) {
            result.add(
                    place,
                    "enum",
                    place.field() + " must be one of the following: " + String.join(", ", schema.allowed));
        }
        if (schema.format != null
                && value instanceof StringValue(var text)
                && !SchemaFormats.accepts(schema.format, text)) {
            result.add(place, "format", "Does not match format '" + schema.format + "'");
        }
        result.passed();
    }

    private static void number(SchemaNode schema, BigDecimal number, Place place, SchemaResult result) {
        if (schema.multipleOf != null && number.remainder(schema.multipleOf).signum() != 0) {
            result.add(place, "multiple_of", "Must be a multiple of " + SchemaValues.bound(schema.multipleOf));
        }
        if (schema.maximum != null && number.compareTo(schema.maximum) > 0) {
            result.add(place, "number_lte", "Must be less than or equal to " + SchemaValues.bound(schema.maximum));
        }
        if (schema.below != null && number.compareTo(schema.below) >= 0) {
            result.add(place, "number_lt", "Must be less than " + SchemaValues.bound(schema.below));
        }
        if (schema.minimum != null && number.compareTo(schema.minimum) < 0) {
            result.add(place, "number_gte", "Must be greater than or equal to " + SchemaValues.bound(schema.minimum));
        }
        if (schema.above != null && number.compareTo(schema.above) <= 0) {
            result.add(place, "number_gt", "Must be greater than " + SchemaValues.bound(schema.above));
        }
        result.passed();
    }

    private void text(SchemaNode schema, String text, Place place, SchemaResult result) {
        long length = text.codePointCount(0, text.length());
        if (schema.minLength != null && length < schema.minLength) {
            result.add(place, "string_gte", "String length must be greater than or equal to " + schema.minLength);
        }
        if (schema.maxLength != null && length > schema.maxLength) {
            result.add(place, "string_lte", "String length must be less than or equal to " + schema.maxLength);
        }
        if (schema.pattern != null
                && !schema.pattern.matcher(BoundedRegex.input(text, scope)).find()) {
            result.add(place, "pattern", "Does not match pattern '" + schema.pattern.pattern() + "'");
        }
        result.passed();
    }

    private void items(SchemaNode schema, List<RegoValue> items, Place place, SchemaResult result) {
        for (int i = 0; i < items.size(); i++) {
            var itemSchema = schemaOf(schema, i);
            if (itemSchema != null) {
                result.merge(checkSeparately(itemSchema, items.get(i), place.child(Integer.toString(i))));
            }
        }
        boolean more = !schema.items.isEmpty() && items.size() > schema.items.size();
        if (more && schema.otherItems != null && schema.otherItems.isNever()) {
            result.add(place, "array_no_additional_items", "No additional items allowed on array");
        }
        if (schema.minItems != null && items.size() < schema.minItems) {
            result.add(place, "array_min_items", "Array must have at least " + schema.minItems + " items");
        }
        if (schema.maxItems != null && items.size() > schema.maxItems) {
            result.add(place, "array_max_items", "Array must have at most " + schema.maxItems + " items");
        }
        if (schema.uniqueItems) {
            unique(items, place, result);
        }
        if (schema.contains != null) {
            contains(schema.contains, items, place, result);
        }
        result.passed();
    }

    private static @Nullable SchemaNode schemaOf(SchemaNode schema, int position) {
        if (schema.everyItem != null || schema.items.isEmpty()) {
            return schema.everyItem;
        }
        if (position < schema.items.size()) {
            return schema.items.get(position);
        }
        return schema.otherItems == null || schema.otherItems.always != null ? null : schema.otherItems;
    }

    private static void unique(List<RegoValue> items, Place place, SchemaResult result) {
        var seen = new HashMap<String, Integer>();
        for (int i = 0; i < items.size(); i++) {
            var earlier = seen.put(SchemaValues.canonical(items.get(i)), i);
            if (earlier != null) {
                result.add(place, "unique", "array items[" + earlier + "," + i + "] must be unique");
            }
        }
    }

    private void contains(SchemaNode schema, List<RegoValue> items, Place place, SchemaResult result) {
        SchemaResult best = null;
        for (int i = 0; i < items.size(); i++) {
            var one = checkSeparately(schema, items.get(i), place.child(Integer.toString(i)));
            if (one.isValid()) {
                return;
            }
            best = SchemaResult.closer(best, one);
        }
        result.add(place, "contains", "At least one of the items must match");
        if (best != null) {
            result.merge(best);
        }
    }

    private void fields(SchemaNode schema, Map<RegoValue, RegoValue> fields, Place place, SchemaResult result) {
        if (schema.minProperties != null && fields.size() < schema.minProperties) {
            result.add(place, "array_min_properties", "Must have at least " + schema.minProperties + " properties");
        }
        if (schema.maxProperties != null && fields.size() > schema.maxProperties) {
            result.add(place, "array_max_properties", "Must have at most " + schema.maxProperties + " properties");
        }
        for (var name : schema.required) {
            if (fields.containsKey(RegoValue.of(name))) {
                result.passed();
            } else {
                result.add(place, "required", name + " is required");
            }
        }
        fields.forEach((key, value) -> field(schema, SchemaKeywords.text(key), value, place, result));
        if (schema.propertyNames != null) {
            names(schema.propertyNames, fields, place, result);
        }
        result.passed();
    }

    private void field(SchemaNode schema, String name, RegoValue value, Place place, SchemaResult result) {
        boolean described = schema.properties.containsKey(name);
        boolean matched = false;
        for (var pattern : schema.patternProperties.entrySet()) {
            if (pattern.getKey().matcher(BoundedRegex.input(name, scope)).find()) {
                matched = true;
                result.merge(checkSeparately(pattern.getValue(), value, place.child(name)));
            }
        }
        if (matched) {
            result.passed();
        }
        var other = schema.otherProperties;
        if (described || matched || other == null) {
            return;
        }
        if (other.isNever()) {
            result.add(place, "additional_property_not_allowed", "Additional property " + name + " is not allowed");
        } else if (other.always == null) {
            result.merge(checkSeparately(other, value, place.child(name)));
        }
    }

    private void names(SchemaNode schema, Map<RegoValue, RegoValue> fields, Place place, SchemaResult result) {
        fields.keySet().forEach(key -> {
            var one = checkSeparately(schema, key, place);
            if (!one.isValid()) {
                result.add(
                        place,
                        "invalid_property_name",
                        "Property name of \"" + SchemaKeywords.text(key) + "\" does not match");
                result.merge(one);
            }
        });
    }
}
