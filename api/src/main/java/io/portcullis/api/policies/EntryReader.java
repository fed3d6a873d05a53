package io.portcullis.api.policies;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyEntry.Group;
import io.portcullis.api.policies.PolicyEntry.Module;
import io.portcullis.api.policies.PolicyEntry.Single;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads one entry of {@code policies.yml}. Every error names the entry, the key and, in YAML, the line and column. */
final class EntryReader {

    private static final String MODULE = "module";

    /** What files of earlier releases call {@link #MODULE}. */
    private static final String URL = "url";

    private static final Set<String> MEMBER_KEYS =
            Set.of(MODULE, URL, "settings", "contextAwareResources", "timeoutEvalSeconds", "hostCapabilities");

    /** The keys of a member in a list, as in files of earlier releases. */
    private static final Set<String> LISTED_MEMBER_KEYS =
            Stream.concat(MEMBER_KEYS.stream(), Stream.of("name")).collect(Collectors.toUnmodifiableSet());

    private final Document document;
    private final Consumer<String> deprecations;

    /** @param deprecations receives one sentence for each outdated key */
    EntryReader(Document document, Consumer<String> deprecations) {
        this.document = document;
        this.deprecations = deprecations;
    }

    PolicyEntry read(String id, JsonNode node) {
        if (id.isEmpty()) {
            throw new PoliciesFileException("Not a valid Policy ID: ", null);
        }
        if (id.contains("/")) {
            throw new PoliciesFileException("policy name '" + id + "' contains a '/' character", null);
        }
        var entry = new Fields("policy '" + id + "'", "/" + id, node);
        if (entry.hasModule()) {
            return new Single(module(entry), mode(entry), entry.flag("allowedToMutate"), entry.optionalText("message"));
        }
        if (entry.has("policies")) {
            return new Group(members(id, entry), entry.text("expression"), entry.text("message"), mode(entry));
        }
        throw entry.wrong("", "needs 'module', or 'policies' and 'expression' for a group");
    }

    private Map<String, Module> members(String id, Fields group) {
        var nodes = memberNodes(id, group);
        var invalid = nodes.keySet().stream()
                .filter(name -> name.isEmpty() || name.contains("/"))
                .toList();
        if (!invalid.isEmpty()) {
            throw new PoliciesFileException(
                    "policy group '" + id + "' contains policies with invalid names: " + invalid, null);
        }
        var members = new LinkedHashMap<String, Module>();
        nodes.forEach((name, fields) -> members.put(name, module(fields)));
        return members;
    }

    /** Returns the members by name. They are a map, or, in files of earlier releases, a list of entries with {@code name}. */
    private Map<String, Fields> memberNodes(String id, Fields group) {
        var policies = group.required("policies");
        var path = "/" + id + "/policies/";
        var members = new LinkedHashMap<String, Fields>();
        if (policies.isArray()) {
            deprecations.accept("policy group '" + id
                    + "': a list of 'policies' is deprecated; use a map of member names to policies"
                    + document.placeOf(path.substring(0, path.length() - 1)));
            for (int index = 0; index < policies.size(); index++) {
                var member = new Fields(
                        "policy group '" + id + "', member " + (index + 1), path + index, policies.get(index));
                member.refuseKeysBut(LISTED_MEMBER_KEYS);
                var name = member.text("name");
                if (members.put(name, member) != null) {
                    throw member.wrong("name", "'" + name + "' names two members");
                }
            }
            return members;
        }
        if (!policies.isObject()) {
            throw group.wrongType("policies", "a map of member names to policies");
        }
        policies.forEachEntry((name, node) -> {
            var member = new Fields("policy group '" + id + "', member '" + name + "'", path + name, node);
            member.refuseKeysBut(MEMBER_KEYS);
            members.put(name, member);
        });
        return members;
    }

    private static Module module(Fields fields) {
        return new Module(
                fields.module(),
                fields.settings(),
                fields.contextAwareResources(),
                fields.timeout(),
                fields.texts("hostCapabilities"));
    }

    private static PolicyMode mode(Fields fields) {
        var text = fields.optionalText("policyMode").orElse(PolicyMode.PROTECT.wireName());
        for (var mode : PolicyMode.values()) {
            if (mode.wireName().equals(text)) {
                return mode;
            }
        }
        throw fields.wrong("policyMode", "must be 'protect' or 'monitor', not '" + text + "'");
    }

    /** Reads the keys of one entry or group member. Errors name the owner and the position. */
    private final class Fields {
        private final String owner;
        private final String path;
        private final ObjectNode node;

        Fields(String owner, String path, JsonNode node) {
            this.owner = owner;
            this.path = path;
            if (!(node instanceof ObjectNode object)) {
                throw new PoliciesFileException(
                        owner + ": must be a map, not " + typeOf(node) + document.placeOf(path), null);
            }
            this.node = object;
        }

        boolean has(String key) {
            return node.hasNonNull(key);
        }

        boolean hasModule() {
            return has(MODULE) || has(URL);
        }

        /** Returns where the module is. Files of earlier releases call the key {@code url}. */
        String module() {
            if (!has(URL)) {
                return text(MODULE);
            }
            if (has(MODULE)) {
                throw wrong(URL, "is the old name of 'module'; keep only 'module'");
            }
            deprecations.accept(
                    owner + ": the key 'url' is deprecated; use 'module'" + document.placeOf(path + "/" + URL));
            return text(URL);
        }

        JsonNode required(String key) {
            if (!has(key)) {
                throw wrong("", "the key '" + key + "' is missing");
            }
            return node.get(key);
        }

        String text(String key) {
            if (!required(key).isTextual()) {
                throw wrongType(key, "text");
            }
            return node.get(key).textValue();
        }

        Optional<String> optionalText(String key) {
            return has(key) ? Optional.of(text(key)) : Optional.empty();
        }

        boolean flag(String key) {
            if (!has(key)) {
                return false;
            }
            if (!node.get(key).isBoolean()) {
                throw wrongType(key, "true or false");
            }
            return node.get(key).booleanValue();
        }

        ObjectNode settings() {
            if (!has("settings")) {
                return JsonNodeFactory.instance.objectNode();
            }
            if (!(node.get("settings") instanceof ObjectNode settings)) {
                throw wrongType("settings", "an object");
            }
            return settings;
        }

        Optional<Duration> timeout() {
            var key = "timeoutEvalSeconds";
            if (!has(key)) {
                return Optional.empty();
            }
            var value = node.get(key);
            if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 0) {
                throw wrongType(key, "a whole number of seconds, zero or more");
            }
            return Optional.of(Duration.ofSeconds(value.intValue()));
        }

        List<String> texts(String key) {
            var texts = new ArrayList<String>();
            for (var element : list(key)) {
                if (!element.isTextual()) {
                    throw wrongType(key, "a list of text");
                }
                texts.add(element.textValue());
            }
            return texts;
        }

        Set<ContextAwareResource> contextAwareResources() {
            var key = "contextAwareResources";
            var resources = new LinkedHashSet<ContextAwareResource>();
            for (var element : list(key)) {
                var apiVersion = element.path("apiVersion");
                var kind = element.path("kind");
                if (!apiVersion.isTextual() || !kind.isTextual()) {
                    throw wrongType(key, "a list of {apiVersion, kind}");
                }
                resources.add(new ContextAwareResource(apiVersion.textValue(), kind.textValue()));
            }
            return resources;
        }

        void refuseKeysBut(Set<String> known) {
            node.fieldNames().forEachRemaining(key -> {
                if (!known.contains(key)) {
                    throw wrong(key, "is not a key of a group member");
                }
            });
        }

        private JsonNode list(String key) {
            if (!has(key)) {
                return JsonNodeFactory.instance.arrayNode();
            }
            if (!node.get(key).isArray()) {
                throw wrongType(key, "a list");
            }
            return node.get(key);
        }

        PoliciesFileException wrongType(String key, String expected) {
            return wrong(key, "must be " + expected + ", not " + typeOf(node.path(key)));
        }

        PoliciesFileException wrong(String key, String what) {
            var subject = key.isEmpty() ? owner + ": " : owner + ": '" + key + "' ";
            var place = document.placeOf(key.isEmpty() ? path : path + "/" + key);
            return new PoliciesFileException(subject + what + place, null);
        }
    }

    private static String typeOf(JsonNode node) {
        return switch (node.getNodeType()) {
            case ARRAY -> "a list";
            case OBJECT -> "an object";
            case STRING -> "text";
            case NUMBER -> "the number " + node;
            case BOOLEAN -> node.asText();
            case NULL, MISSING, BINARY, POJO -> node.getNodeType().name().toLowerCase(Locale.ROOT);
        };
    }
}
