package io.portcullis.api.policy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts a policy resource to the type that a policy server loads, which is the type of an entry in
 * {@code policies.yml}.
 *
 * @param kind kind of the policy; cluster-wide policies may call every host capability
 * @param namespace namespace of the policy; empty for cluster-wide policies
 * @param namespacedCapabilities host capabilities that the server grants to namespaced policies
 */
public record ServedPolicy(PolicyKind kind, String namespace, List<String> namespacedCapabilities) {

    private static final List<String> ALL_CAPABILITIES = List.of("*");

    public PolicyEntry entry(PolicySpec spec) {
        var mode = spec.placement().mode();
        return switch (spec.content()) {
            case PolicyContent.Single single ->
                new PolicyEntry.Single(
                        module(
                                single.module(),
                                single.settings(),
                                single.contextAwareResources(),
                                single.timeoutEvalSeconds()),
                        mode,
                        single.mutating(),
                        Optional.ofNullable(single.message()).filter(message -> !message.isEmpty()));
            case PolicyContent.Group group -> {
                var members = new LinkedHashMap<String, PolicyEntry.Module>();
                group.policies()
                        .forEach((name, member) -> members.put(
                                name,
                                module(
                                        member.module(),
                                        member.settings(),
                                        member.contextAwareResources(),
                                        member.timeoutEvalSeconds())));
                yield new PolicyEntry.Group(members, group.expression(), group.message(), mode);
            }
        };
    }

    /** Converts a module. Namespaced policies read at most their own namespace. */
    private PolicyEntry.Module module(
            String module,
            @Nullable JsonNode settings,
            List<ContextAwareResource> contextAwareResources,
            @Nullable Integer timeoutSeconds) {
        return new PolicyEntry.Module(
                module,
                settings instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode(),
                canRead() ? Set.copyOf(contextAwareResources) : Set.of(),
                kind.isNamespaced() ? Optional.of(namespace) : Optional.empty(),
                Optional.ofNullable(timeoutSeconds).map(Duration::ofSeconds),
                kind.isNamespaced() ? namespacedCapabilities : ALL_CAPABILITIES);
    }

    /** An AdmissionPolicy has no field for context-aware resources. A limit to a namespace without a name limits nothing. */
    private boolean canRead() {
        return kind.grantsContext() && (!kind.isNamespaced() || !namespace.isEmpty());
    }
}
