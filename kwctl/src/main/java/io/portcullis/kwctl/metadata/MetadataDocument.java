package io.portcullis.kwctl.metadata;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.evaluator.metadata.MetadataParser;
import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Writes metadata: keys in the order of the original kwctl, explicit defaults, sorted sets and annotations. */
public final class MetadataDocument {

    private static final JsonMapper JSON = new JsonMapper();

    private final JsonNode source;
    private final PolicyMetadata metadata;

    private MetadataDocument(JsonNode source, PolicyMetadata metadata) {
        this.source = source;
        this.metadata = metadata;
    }

    /** @throws io.portcullis.evaluator.PolicyLoadException with the name of the invalid key */
    public static MetadataDocument of(JsonNode document) {
        return new MetadataDocument(document, MetadataParser.parse(document));
    }

    /** Parses the content of the metadata section, which may be invalid. */
    public static MetadataDocument ofSection(byte[] json) {
        try {
            return of(JSON.readTree(new String(json, StandardCharsets.UTF_8)));
        } catch (JsonProcessingException e) {
            throw new CommandException("cannot deserialize custom section `" + MetadataSection.NAME
                    + "` of wasm module: " + e.getOriginalMessage());
        }
    }

    public PolicyMetadata metadata() {
        return metadata;
    }

    /** Returns a copy with another protocol version and additional annotations. */
    public MetadataDocument with(String protocolVersion, Map<String, String> annotations) {
        ObjectNode changed = source.deepCopy();
        changed.put("protocolVersion", protocolVersion);
        var merged = JsonNodeFactory.instance.objectNode();
        metadata.annotations().forEach(merged::put);
        annotations.forEach(merged::put);
        changed.set("annotations", merged);
        return of(changed);
    }

    public ObjectNode json() {
        var document = JsonNodeFactory.instance.objectNode();
        metadata.protocolVersion().ifPresent(version -> document.put("protocolVersion", version.wireName()));
        document.set("rules", rules(metadata));
        if (!metadata.annotations().isEmpty()) {
            var annotations = document.putObject("annotations");
            new TreeMap<>(metadata.annotations()).forEach(annotations::put);
        }
        document.put("mutating", metadata.mutating());
        document.put("backgroundAudit", metadata.backgroundAudit());
        document.put("executionMode", metadata.executionMode().wireName());
        document.put("policyType", metadata.policyType().wireName());
        document.set("contextAwareResources", contextAwareResources(metadata));
        if (source.hasNonNull("hostCapabilities")) {
            var capabilities = document.putArray("hostCapabilities");
            new TreeSet<>(metadata.hostCapabilities()).forEach(capabilities::add);
        }
        if (source.hasNonNull("minimumKubewardenVersion")) {
            // Copy the source text: the parsed metadata keeps only the part that compatibility checks need.
            document.set("minimumKubewardenVersion", source.get("minimumKubewardenVersion"));
        }
        return document;
    }

    public byte[] bytes() {
        return json().toString().getBytes(StandardCharsets.UTF_8);
    }

    public static ArrayNode rules(PolicyMetadata metadata) {
        var rules = JsonNodeFactory.instance.arrayNode();
        for (var rule : metadata.rules()) {
            var node = rules.addObject();
            rule.apiGroups().forEach(node.putArray("apiGroups")::add);
            rule.apiVersions().forEach(node.putArray("apiVersions")::add);
            rule.resources().forEach(node.putArray("resources")::add);
            rule.operations().forEach(node.putArray("operations")::add);
        }
        return rules;
    }

    public static ArrayNode contextAwareResources(PolicyMetadata metadata) {
        var resources = JsonNodeFactory.instance.arrayNode();
        metadata.contextAwareResources().stream()
                .sorted(Comparator.comparing(ContextAwareResource::apiVersion)
                        .thenComparing(ContextAwareResource::kind))
                .forEach(resource -> resources
                        .addObject()
                        .put("apiVersion", resource.apiVersion())
                        .put("kind", resource.kind()));
        return resources;
    }
}
