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
 * A policy of the cluster in the form that a policy server loads, the same as of an entry in {@code policies.yml}.
 *
 * @param kind decides what the policy may do: cluster-wide ones may call every host capability
 * @param namespacedCapabilities what the server grants to policies of a namespace
 */
public record ServedPolicy(PolicyKind kind, List<String> namespacedCapabilities) {

    private static final List<String> EVERYTHING = List.of("*");

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

    /** Policies of a namespace read nothing from the cluster, whatever their spec says. */
    private PolicyEntry.Module module(
            String module,
            @Nullable JsonNode settings,
            List<ContextAwareResource> contextAwareResources,
            @Nullable Integer timeoutSeconds) {
        return new PolicyEntry.Module(
                module,
                settings instanceof ObjectNode object ? object : JsonNodeFactory.instance.objectNode(),
                kind.isNamespaced() ? Set.of() : Set.copyOf(contextAwareResources),
                Optional.ofNullable(timeoutSeconds).map(Duration::ofSeconds),
                kind.isNamespaced() ? namespacedCapabilities : EVERYTHING);
    }
}
