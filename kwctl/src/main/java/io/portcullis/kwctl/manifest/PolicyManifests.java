package io.portcullis.kwctl.manifest;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.metadata.MetadataDocument;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Builds custom resources for policies and policy groups. */
public final class PolicyManifests {

    private static final String PREFIX = "io.kubewarden.policy.";

    private PolicyManifests() {}

    /** The kinds of custom resources that deploy policies. */
    public enum Kind {
        CLUSTER_ADMISSION_POLICY("ClusterAdmissionPolicy", true, false),
        ADMISSION_POLICY("AdmissionPolicy", false, false),
        CLUSTER_ADMISSION_POLICY_GROUP("ClusterAdmissionPolicyGroup", true, true),
        ADMISSION_POLICY_GROUP("AdmissionPolicyGroup", false, true);

        private final String wireName;
        private final boolean clusterWide;
        private final boolean group;

        Kind(String wireName, boolean clusterWide, boolean group) {
            this.wireName = wireName;
            this.clusterWide = clusterWide;
            this.group = group;
        }

        public String wireName() {
            return wireName;
        }

        public boolean isGroup() {
            return group;
        }

        /** Returns whether the kind can grant access to Kubernetes objects of all namespaces. Only cluster-wide kinds can. */
        public boolean canReadCluster() {
            return clusterWide;
        }

        /** Returns whether the kind can grant access to Kubernetes objects, at least of its own namespace. */
        boolean grantsContext() {
            return clusterWide || group;
        }

        public static Kind of(String wireName) {
            return List.of(values()).stream()
                    .filter(kind -> kind.wireName.equals(wireName))
                    .findFirst()
                    .orElseThrow(() -> new CommandException("unknown kind " + wireName));
        }
    }

    /** A policy with its configuration. */
    public record Configured(String module, ObjectNode settings, PolicyMetadata metadata, boolean grantsContext) {}

    /** Builds the resource of one policy. */
    public static ObjectNode policy(Kind kind, Configured policy, Optional<String> title) {
        var metadata = policy.metadata();
        var name = title.or(() -> Optional.ofNullable(metadata.annotations().get(PREFIX + "title")))
                .orElseThrow(() -> new CommandException(
                        "Policy does not have a title in its metadata; please provide one with --title"));
        var resource = resource(kind, ResourceName.check(name), metadata.annotations());
        var spec = resource.putObject("spec");
        member(spec, kind, policy);
        moveToEnd(spec, "contextAwareResources", () -> {
            spec.set("rules", MetadataDocument.rules(metadata));
            spec.put("mutating", metadata.mutating());
            if (!metadata.backgroundAudit()) {
                spec.put("backgroundAudit", false);
            }
        });
        return resource;
    }

    /** Builds the resource of a group. Without an expression, all members must accept. */
    public static ObjectNode group(
            Kind kind, Map<String, Configured> members, Optional<String> expression, String message, String title) {
        var resource = resource(kind, ResourceName.check(title), Map.of());
        var spec = resource.putObject("spec");
        var rules = JsonNodeFactory.instance.arrayNode();
        members.values()
                .forEach(member -> MetadataDocument.rules(member.metadata()).forEach(rule -> {
                    if (!contains(rules, rule)) {
                        rules.add(rule);
                    }
                }));
        spec.set("rules", rules);
        spec.put(
                "expression",
                expression.orElseGet(() -> String.join(
                        " && ",
                        members.keySet().stream().map(name -> name + "()").toList())));
        spec.put("message", message);
        var policies = spec.putObject("policies");
        members.forEach((name, member) -> member(policies.putObject(name), kind, member));
        return resource;
    }

    private static boolean contains(Iterable<?> elements, Object wanted) {
        for (var element : elements) {
            if (element.equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    private static ObjectNode resource(Kind kind, String name, Map<String, String> policyAnnotations) {
        var resource = JsonNodeFactory.instance.objectNode();
        resource.put("apiVersion", "policies.kubewarden.io/v1").put("kind", kind.wireName());
        var metadata = resource.putObject("metadata");
        var annotations = JsonNodeFactory.instance.objectNode();
        for (var key : List.of(PREFIX + "category", PREFIX + "severity")) {
            var value = policyAnnotations.get(key);
            if (value != null) {
                annotations.put(key, value);
            }
        }
        if (!annotations.isEmpty()) {
            metadata.set("annotations", annotations);
        }
        metadata.put("name", name);
        return resource;
    }

    private static void member(ObjectNode node, Kind kind, Configured policy) {
        node.put("module", policy.module());
        node.set("settings", policy.settings());
        if (kind.grantsContext()
                && policy.grantsContext()
                && !policy.metadata().contextAwareResources().isEmpty()) {
            node.set("contextAwareResources", MetadataDocument.contextAwareResources(policy.metadata()));
        }
    }

    private static void moveToEnd(ObjectNode node, String key, Runnable between) {
        var value = node.remove(key);
        between.run();
        if (value != null) {
            node.set(key, value);
        }
    }
}
