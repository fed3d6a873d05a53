package io.portcullis.evaluator.rego.builtin.schema;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.Map;

/** The drafts of JSON Schema, oldest first. A schema that names no draft is parsed with the keywords of all drafts. */
enum SchemaDraft {
    DRAFT_4,
    DRAFT_6,
    DRAFT_7,
    ANY;

    private static final Map<String, SchemaDraft> BY_URL = Map.of(
            "http://json-schema.org/draft-04/schema", DRAFT_4,
            "http://json-schema.org/draft-06/schema", DRAFT_6,
            "http://json-schema.org/draft-07/schema", DRAFT_7);

    static SchemaDraft of(RegoValue schema) {
        if (schema instanceof BooleanValue) {
            return ANY;
        }
        if (!(schema instanceof ObjectValue(var fields))) {
            throw new SchemaException("schema is invalid");
        }
        return switch (fields.get(RegoValue.of("$schema"))) {
            case null -> ANY;
            case StringValue(var url) ->
                BY_URL.getOrDefault(url.endsWith("#") ? url.substring(0, url.length() - 1) : url, ANY);
            case RegoValue _ -> throw new SchemaException("$schema must be of type string");
        };
    }

    boolean atLeast(SchemaDraft other) {
        return compareTo(other) >= 0;
    }
}
