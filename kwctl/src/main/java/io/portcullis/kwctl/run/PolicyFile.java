package io.portcullis.kwctl.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PoliciesFile;
import io.portcullis.api.policies.PoliciesFileException;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.manifest.PolicyManifests.Kind;
import io.portcullis.process.args.SimilarWords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads policies and groups from their custom resources. Rejects an invalid spec, because a cluster would also reject it.
 * Ignores other kinds of resources in the same file.
 */
public final class PolicyFile {

    private static final Logger log = LoggerFactory.getLogger("kwctl::run");

    private static final String API = "policies.kubewarden.io/";
    private static final String API_VERSION = API + "v1";
    private static final Set<String> COMMON = Set.of(
            "rules",
            "mode",
            "matchConditions",
            "matchPolicy",
            "objectSelector",
            "failurePolicy",
            "policyServer",
            "timeoutSeconds",
            "backgroundAudit",
            "sideEffects",
            "message");
    private static final Set<String> CLUSTER_WIDE =
            Set.of("namespaceSelector", "allowInsideAdmissionControllerNamespace");
    private static final Set<String> SINGLE = Set.of("module", "settings", "mutating", "timeoutEvalSeconds");
    private static final Set<String> GROUP = Set.of("policies", "expression");
    private static final String CONTEXT = "contextAwareResources";
    private static final Set<String> MEMBER = Set.of("module", "settings", "timeoutEvalSeconds", CONTEXT);
    /** The namespace of a resource that names none, as kubectl applies it. */
    private static final String DEFAULT_NAMESPACE = "default";

    private final List<String> hostCapabilities;

    private PolicyFile(List<String> hostCapabilities) {
        this.hostCapabilities = hostCapabilities;
    }

    /** A policy of the file, with its custom resource. */
    public record Definition(String id, PolicyEntry entry, ObjectNode resource) {

        /** Returns the rules of the resource; empty if it has none. */
        Optional<List<PolicyMetadata.Rule>> rules() {
            var rules = new ArrayList<PolicyMetadata.Rule>();
            for (var rule : resource.path("spec").path("rules")) {
                rules.add(new PolicyMetadata.Rule(
                        texts(rule.path("apiGroups")),
                        texts(rule.path("apiVersions")),
                        texts(rule.path("resources")),
                        texts(rule.path("operations"))));
            }
            return rules.isEmpty() ? Optional.empty() : Optional.of(rules);
        }

        private static List<String> texts(JsonNode list) {
            return list.valueStream().map(JsonNode::asText).toList();
        }
    }

    /** Returns whether an argument is the name of a policy file. */
    public static boolean isNamedBy(String argument) {
        return argument.endsWith(".yaml") || argument.endsWith(".yml");
    }

    /**
     * Reads the policies of a file: custom resources, or the policies file of a policy server.
     *
     * @param file the name for error messages
     * @param hostCapabilities granted to every policy and member
     */
    public static List<Definition> parse(String file, String text, List<String> hostCapabilities) {
        var documents = documents(file, text);
        try {
            return documents.size() == 1 && isServerFile(documents.getFirst())
                    ? new PolicyFile(hostCapabilities).serverFile(file, text)
                    : of(documents, hostCapabilities);
        } catch (CommandException e) {
            throw new CommandException(file + ": " + e.getMessage(), e.getCause());
        }
    }

    /** Returns whether a document maps policy names to policies, as {@code policy-server --policies} reads them. */
    private static boolean isServerFile(JsonNode document) {
        return document instanceof ObjectNode map
                && !map.isEmpty()
                && !map.has("apiVersion")
                && !map.has("kind")
                && map.valueStream().allMatch(entry -> entry.has("module") || entry.has("policies"));
    }

    /** A policies file has no rules: each policy receives every request. */
    private List<Definition> serverFile(String file, String text) {
        try {
            return PoliciesFile.parseStrictly(text).entries().entrySet().stream()
                    .map(entry -> new Definition(entry.getKey(), granted(file, entry.getValue()), resource(entry)))
                    .toList();
        } catch (PoliciesFileException e) {
            throw new CommandException(String.valueOf(e.getMessage()));
        }
    }

    /** Grants the capabilities. Resolves a relative module path against the file's directory, as the server does. */
    private PolicyEntry.Module granted(String file, PolicyEntry.Module module) {
        var url = module.module();
        return new PolicyEntry.Module(
                url.startsWith("./") || url.startsWith("../")
                        ? Path.of(file).resolveSibling(url).normalize().toString()
                        : url,
                module.settings(),
                module.contextAwareResources(),
                module.contextNamespace(),
                module.timeout(),
                hostCapabilities);
    }

    /** Returns the resource that a cluster would need for the policy, as far as matching reads it. */
    private static ObjectNode resource(Map.Entry<String, PolicyEntry> entry) {
        var kind = entry.getValue() instanceof PolicyEntry.Group
                ? Kind.CLUSTER_ADMISSION_POLICY_GROUP
                : Kind.CLUSTER_ADMISSION_POLICY;
        var resource = JsonNodeFactory.instance.objectNode();
        resource.put("apiVersion", API_VERSION).put("kind", kind.wireName());
        resource.putObject("metadata").put("name", entry.getKey());
        resource.putObject("spec");
        return resource;
    }

    private PolicyEntry granted(String file, PolicyEntry entry) {
        return switch (entry) {
            case PolicyEntry.Single single ->
                new PolicyEntry.Single(
                        granted(file, single.module()), single.mode(), single.allowedToMutate(), single.message());
            case PolicyEntry.Group group -> {
                var members = new LinkedHashMap<String, PolicyEntry.Module>();
                group.members().forEach((name, member) -> members.put(name, granted(file, member)));
                yield new PolicyEntry.Group(members, group.expression(), group.message(), group.mode());
            }
        };
    }

    /** Reads policies from parsed resources. */
    public static List<Definition> of(List<JsonNode> documents, List<String> hostCapabilities) {
        var reader = new PolicyFile(hostCapabilities);
        var definitions = new ArrayList<Definition>();
        var others = new ArrayList<String>();
        for (var document : documents) {
            var apiVersion = document.path("apiVersion").asText();
            if (apiVersion.startsWith(API) || apiVersion.isEmpty()) {
                definitions.add(reader.definition(document));
            } else {
                others.add(document.path("kind").asText());
                log.atWarn()
                        .addKeyValue("api_version", apiVersion)
                        .addKeyValue("kind", document.path("kind").asText())
                        .log("not a Kubewarden policy, passed over");
            }
        }
        if (definitions.isEmpty()) {
            throw new CommandException(
                    others.isEmpty()
                            ? "Cannot parse YAML file: it holds no policy"
                            : "unknown kind " + others.getFirst() + ", not a Kubewarden policy;"
                                    + " to judge an object, name the policy and give the object with --object");
        }
        return definitions;
    }

    private static List<JsonNode> documents(String file, String text) {
        try {
            return YamlDocuments.parseAll(text);
        } catch (YamlException e) {
            throw new CommandException("Cannot parse YAML file " + file, e);
        }
    }

    private Definition definition(JsonNode document) {
        if (!document.path("apiVersion").asText().equals(API_VERSION)) {
            throw new CommandException(
                    "invalid apiVersion '" + document.path("apiVersion").asText() + "', expected " + API_VERSION);
        }
        var kind = kind(document.path("kind").asText());
        var id = document.path("metadata").path("name").asText("crd-without-name");
        if (!(document instanceof ObjectNode resource) || !(document.get("spec") instanceof ObjectNode spec)) {
            throw new CommandException("policy '" + id + "': missing field `spec`");
        }
        var allowed = new LinkedHashSet<>(COMMON);
        allowed.addAll(kind.isGroup() ? GROUP : SINGLE);
        if (kind.canReadCluster()) {
            allowed.addAll(CLUSTER_WIDE);
            if (!kind.isGroup()) {
                allowed.add(CONTEXT);
            }
        }
        rejectUnknown("policy '" + id + "'", spec, allowed);
        return new Definition(
                id, kind.isGroup() ? group(id, contextNamespace(kind, resource), spec) : single(id, spec), resource);
    }

    private static Kind kind(String name) {
        return Arrays.stream(Kind.values())
                .filter(kind -> kind.wireName().equals(name))
                .findFirst()
                .orElseThrow(() -> new CommandException("unknown kind " + name + ", not a Kubewarden policy"));
    }

    private static void rejectUnknown(String owner, ObjectNode node, Set<String> allowed) {
        node.fieldNames().forEachRemaining(key -> {
            if (!allowed.contains(key)) {
                throw new CommandException(owner + ": unknown field `" + key + "`"
                        + SimilarWords.to(key, allowed)
                                .map(name -> ", did you mean `" + name + "`?")
                                .orElse(""));
            }
        });
    }

    private PolicyEntry single(String id, ObjectNode spec) {
        return new PolicyEntry.Single(
                module("policy '" + id + "'", Optional.empty(), spec),
                mode(id, spec),
                spec.path("mutating").asBoolean(false),
                Optional.of(spec.path("message").asText()).filter(text -> !text.isEmpty()));
    }

    /** Returns the only namespace that a policy may read; empty for cluster-wide policies. */
    private static Optional<String> contextNamespace(Kind kind, ObjectNode resource) {
        return kind.canReadCluster()
                ? Optional.empty()
                : Optional.of(resource.path("metadata").path("namespace").asText(DEFAULT_NAMESPACE));
    }

    private PolicyEntry group(String id, Optional<String> contextNamespace, ObjectNode spec) {
        if (!(spec.get("policies") instanceof ObjectNode policies) || policies.isEmpty()) {
            throw new CommandException("policy group '" + id + "': missing field `policies`");
        }
        var members = new LinkedHashMap<String, PolicyEntry.Module>();
        for (Map.Entry<String, JsonNode> member : policies.properties()) {
            var owner = "policy group '" + id + "', member '" + member.getKey() + "'";
            if (!(member.getValue() instanceof ObjectNode node)) {
                throw new CommandException(owner + ": not an object");
            }
            rejectUnknown(owner, node, MEMBER);
            members.put(member.getKey(), module(owner, contextNamespace, node));
        }
        return new PolicyEntry.Group(
                members, required(id, spec, "expression"), required(id, spec, "message"), mode(id, spec));
    }

    private static String required(String id, ObjectNode spec, String key) {
        var value = spec.path(key).asText();
        if (value.isEmpty()) {
            throw new CommandException("policy group '" + id + "': missing field `" + key + "`");
        }
        return value;
    }

    private PolicyEntry.Module module(String owner, Optional<String> contextNamespace, ObjectNode node) {
        if (!node.path("module").isTextual()) {
            throw new CommandException(owner + ": missing field `module`");
        }
        var settings = node.hasNonNull("settings") ? node.get("settings") : JsonNodeFactory.instance.objectNode();
        if (!(settings instanceof ObjectNode object)) {
            throw new CommandException(owner + ": settings are not an object");
        }
        return new PolicyEntry.Module(
                node.get("module").asText(),
                object,
                context(owner, node.path(CONTEXT)),
                contextNamespace,
                Optional.of(node.path("timeoutEvalSeconds").asLong(0))
                        .filter(seconds -> seconds > 0)
                        .map(Duration::ofSeconds),
                hostCapabilities);
    }

    private static Set<ContextAwareResource> context(String owner, JsonNode list) {
        var resources = new LinkedHashSet<ContextAwareResource>();
        for (var item : list) {
            if (!item.path("apiVersion").isTextual() || !item.path("kind").isTextual()) {
                throw new CommandException(owner + ": " + CONTEXT + " must be a list of {apiVersion, kind}");
            }
            resources.add(new ContextAwareResource(
                    item.path("apiVersion").asText(), item.path("kind").asText()));
        }
        return resources;
    }

    private static PolicyMode mode(String id, ObjectNode spec) {
        var name = spec.path("mode").asText(PolicyMode.PROTECT.wireName());
        return Arrays.stream(PolicyMode.values())
                .filter(mode -> mode.wireName().equals(name))
                .findFirst()
                .orElseThrow(() -> new CommandException(
                        "policy '" + id + "': mode must be protect or monitor, not '" + name + "'"));
    }
}
