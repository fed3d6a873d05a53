package io.portcullis.evaluator.metadata;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeType;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.metadata.PolicyMetadata.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Parses the JSON of the metadata section into {@link PolicyMetadata}. Unknown keys are ignored; wrong types are
 * errors.
 */
public final class MetadataParser {

    private static final List<String> OPERATIONS = List.of("CREATE", "UPDATE", "DELETE", "CONNECT", "*");

    private MetadataParser() {}

    static PolicyMetadata parse(byte[] json) {
        try {
            var scanner = new JsonScanner(json);
            scanner.skipValue();
            scanner.finish();
            return parse(JsonTree.parse(json));
        } catch (JsonException e) {
            throw invalid(e.problem(), e);
        }
    }

    /** @throws PolicyLoadException that names the first invalid key */
    public static PolicyMetadata parse(JsonNode document) {
        if (!document.isObject()) {
            throw invalid("invalid type: expected struct Metadata", null);
        }
        return new PolicyMetadata(
                optional(document, "protocolVersion", MetadataParser::text)
                        .map(name -> variant(name, ProtocolVersion.values(), ProtocolVersion::wireName)),
                rules(required(document, "rules")),
                optional(document, "annotations", MetadataParser::texts).orElse(Map.of()),
                bool(required(document, "mutating"), "mutating"),
                optional(document, "backgroundAudit", MetadataParser::bool).orElse(true),
                optional(document, "executionMode", MetadataParser::text)
                        .map(name -> variant(name, ExecutionMode.values(), ExecutionMode::wireName))
                        .orElse(ExecutionMode.KUBEWARDEN_WAPC),
                optional(document, "policyType", MetadataParser::text)
                        .map(name -> variant(name, PolicyType.values(), PolicyType::wireName))
                        .orElse(PolicyType.KUBERNETES),
                set(optional(
                        document, "contextAwareResources", (node, key) -> list(node, key, MetadataParser::resource))),
                set(optional(document, "hostCapabilities", MetadataParser::textList)),
                optional(document, "minimumKubewardenVersion", MetadataParser::version));
    }

    /** Returns the rules. A key without a value, {@code rules:} in YAML, has none. */
    private static List<Rule> rules(JsonNode node) {
        return node.isNull() ? List.of() : list(node, "rules", MetadataParser::rule);
    }

    private static Rule rule(JsonNode node, String key) {
        var operations = textList(required(node, "operations"), "operations");
        operations.stream()
                .filter(name -> !OPERATIONS.contains(name))
                .findFirst()
                .ifPresent(unknown -> {
                    throw unknownVariant(unknown, OPERATIONS);
                });
        return new Rule(
                textList(required(node, "apiGroups"), "apiGroups"),
                textList(required(node, "apiVersions"), "apiVersions"),
                textList(required(node, "resources"), "resources"),
                operations);
    }

    private static ContextAwareResource resource(JsonNode node, String key) {
        return new ContextAwareResource(
                text(required(node, "apiVersion"), "apiVersion"), text(required(node, "kind"), "kind"));
    }

    private static KubewardenVersion version(JsonNode node, String key) {
        try {
            return KubewardenVersion.parse(text(node, key));
        } catch (IllegalArgumentException e) {
            throw invalid(key + ": " + e.getMessage(), e);
        }
    }

    private static JsonNode required(JsonNode object, String key) {
        var value = object.get(key);
        if (value == null) {
            throw invalid("missing field `" + key + "`", null);
        }
        return value;
    }

    private static <T> Optional<T> optional(JsonNode object, String key, Reader<T> reader) {
        var value = object.get(key);
        return value == null || value.isNull() ? Optional.empty() : Optional.of(reader.read(value, key));
    }

    private static String text(JsonNode node, String key) {
        return expect(node, key, JsonNodeType.STRING).textValue();
    }

    private static boolean bool(JsonNode node, String key) {
        return expect(node, key, JsonNodeType.BOOLEAN).booleanValue();
    }

    private static List<String> textList(JsonNode node, String key) {
        return list(node, key, MetadataParser::text);
    }

    private static Map<String, String> texts(JsonNode node, String key) {
        var map = new LinkedHashMap<String, String>();
        expect(node, key, JsonNodeType.OBJECT).forEachEntry((name, value) -> map.put(name, text(value, key)));
        return map;
    }

    private static <T> List<T> list(JsonNode node, String key, Reader<T> reader) {
        var items = new ArrayList<T>();
        expect(node, key, JsonNodeType.ARRAY).forEach(item -> items.add(reader.read(item, key)));
        return List.copyOf(items);
    }

    private static <T> Set<T> set(Optional<List<T>> list) {
        return new LinkedHashSet<>(list.orElse(List.of()));
    }

    private static JsonNode expect(JsonNode node, String key, JsonNodeType type) {
        if (node.getNodeType() != type) {
            throw invalid(
                    "%s: invalid type: %s, expected %s".formatted(key, name(node.getNodeType()), name(type)), null);
        }
        return node;
    }

    private static String name(JsonNodeType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    private static <E> E variant(String name, E[] values, Function<E, String> wireName) {
        return Arrays.stream(values)
                .filter(value -> wireName.apply(value).equals(name))
                .findFirst()
                .orElseThrow(() ->
                        unknownVariant(name, Arrays.stream(values).map(wireName).toList()));
    }

    private static PolicyLoadException unknownVariant(String name, List<String> known) {
        var expected = known.stream().map(one -> "`" + one + "`").collect(Collectors.joining(", "));
        return invalid("unknown variant `" + name + "`, expected one of " + expected, null);
    }

    private static PolicyLoadException invalid(String why, @Nullable Throwable cause) {
        return new PolicyLoadException(
                Reason.INVALID_METADATA,
                "cannot deserialize custom section `" + MetadataSection.NAME + "` of wasm module: " + why,
                cause);
    }

    @FunctionalInterface
    private interface Reader<T> {
        T read(JsonNode node, String key);
    }
}
