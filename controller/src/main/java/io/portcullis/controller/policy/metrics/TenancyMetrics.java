package io.portcullis.controller.policy.metrics;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.policy.Policy;
import io.portcullis.core.tenancy.ModuleReference;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Metrics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Metrics of each namespace's usage of each PolicyServer: the numbers that {@code spec.tenancy} can limit. */
final class TenancyMetrics {

    private static final List<String> LABELS = List.of("policy_server", "namespace");

    private TenancyMetrics() {}

    /** @param policies the existing policies, at each scrape */
    static void register(Metrics metrics, Supplier<Stream<Policy>> policies) {
        metrics.gauges(
                new Description(
                        "kubewarden_tenancy_policies",
                        "",
                        "Policies of a namespace on a PolicyServer; limited by spec.tenancy.maxPoliciesPerNamespace",
                        LABELS),
                () -> policies(policies.get()));
        metrics.gauges(
                new Description(
                        "kubewarden_tenancy_modules",
                        "",
                        "Different modules of a namespace on a PolicyServer; limited by spec.tenancy.maxModulesPerNamespace",
                        LABELS),
                () -> modules(policies.get()));
    }

    static Map<List<String>, Long> policies(Stream<Policy> policies) {
        var counts = new HashMap<List<String>, Long>();
        policies.filter(TenancyMetrics::isCounted).forEach(policy -> counts.merge(key(policy), 1L, Long::sum));
        return counts;
    }

    static Map<List<String>, Long> modules(Stream<Policy> policies) {
        var modules = new HashMap<List<String>, Set<String>>();
        policies.filter(TenancyMetrics::isCounted)
                .forEach(policy -> references(policy)
                        .map(ModuleReference::parse)
                        .forEach(reference -> reference
                                .map(ModuleReference::text)
                                .ifPresent(text -> modules.computeIfAbsent(key(policy), _ -> new HashSet<>())
                                        .add(text))));
        var counts = new HashMap<List<String>, Long>();
        modules.forEach((key, names) -> counts.put(key, (long) names.size()));
        return counts;
    }

    private static boolean isCounted(Policy policy) {
        return policy.policyKind().isNamespaced() && !policy.isMarkedForDeletion();
    }

    private static List<String> key(Policy policy) {
        return List.of(policy.policyServerName(), policy.ref().namespace());
    }

    /** Reads only the module, because other fields may be malformed. */
    private static Stream<String> references(Policy policy) {
        var spec = policy.getSpec();
        return policy.policyKind().isGroup()
                ? spec.path("policies")
                        .valueStream()
                        .map(member -> member.path("module"))
                        .map(JsonNode::asText)
                : Stream.of(spec.path("module").asText());
    }
}
