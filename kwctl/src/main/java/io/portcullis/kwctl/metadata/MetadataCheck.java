package io.portcullis.kwctl.metadata;

import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.evaluator.metadata.PolicyMetadata.Rule;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** Checks metadata beyond its syntax. Reports the first problem only. */
public final class MetadataCheck {

    private static final List<Function<PolicyMetadata, Optional<String>>> CHECKS = List.of(
            MetadataCheck::protocolVersion, // the server rejects waPC policies without one
            MetadataCheck::rules, // Kubernetes rejects the webhook
            MetadataCheck::contextAwareResources); // nothing could be granted

    private static final String ANY = "*";

    private MetadataCheck() {}

    /** Returns the first problem; empty when there is none. */
    public static Optional<String> problem(PolicyMetadata metadata) {
        return CHECKS.stream().flatMap(check -> check.apply(metadata).stream()).findFirst();
    }

    private static Optional<String> protocolVersion(PolicyMetadata metadata) {
        if (metadata.protocolVersion().isEmpty()) {
            return Optional.of("protocolVersion: must be set");
        }
        var unknown = metadata.protocolVersion().get() == ProtocolVersion.UNKNOWN;
        return unknown && metadata.executionMode() == ExecutionMode.KUBEWARDEN_WAPC
                ? Optional.of("protocolVersion: must specify a valid protocol version")
                : Optional.empty();
    }

    private static Optional<String> rules(PolicyMetadata metadata) {
        return metadata.rules().stream()
                .flatMap(rule -> problem(rule).stream())
                .map(problem -> "rules: " + problem)
                .findFirst();
    }

    private static Optional<String> problem(Rule rule) {
        return Stream.of(
                        exclusiveWildcard("apiGroups", rule.apiGroups()),
                        exclusiveWildcard("apiVersions", rule.apiVersions()),
                        exclusiveWildcard("operations", rule.operations()),
                        resources(rule.resources()))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private static Optional<String> exclusiveWildcard(String key, List<String> values) {
        if (values.isEmpty()) {
            return Optional.of(key + ": must have at least one item");
        }
        return values.contains(ANY) && values.size() > 1
                ? Optional.of(key + ": if '*' is present, must not specify other items")
                : Optional.empty();
    }

    private static Optional<String> resources(List<String> resources) {
        if (resources.isEmpty()) {
            return Optional.of("resources: must have at least one item");
        }
        if (resources.contains("")) {
            return Optional.of("resources: must not contain empty items");
        }
        if (resources.contains("*/*") && resources.size() > 1) {
            return Optional.of("resources: if '*/*' is present, must not specify other resources");
        }
        var plain =
                resources.stream().filter(resource -> !resource.contains("/")).toList();
        if (plain.contains(ANY) && plain.size() > 1) {
            return Optional.of("resources: if '*' is present, must not specify other resources without subresources");
        }
        return subresources(resources);
    }

    private static Optional<String> subresources(List<String> resources) {
        var all = new HashSet<>(resources);
        for (var resource : resources) {
            var slash = resource.indexOf('/');
            if (slash < 0 || resource.equals("*/*")) {
                continue;
            }
            var parent = resource.substring(0, slash);
            var child = resource.substring(slash + 1);
            if (!child.equals(ANY) && all.contains(parent + "/*")) {
                return Optional.of("resources: if '" + parent + "/*' is present, must not specify " + resource);
            }
            if (!parent.equals(ANY) && all.contains("*/" + child)) {
                return Optional.of("resources: if '*/" + child + "' is present, must not specify " + resource);
            }
        }
        return Optional.empty();
    }

    private static Optional<String> contextAwareResources(PolicyMetadata metadata) {
        var incomplete = metadata.contextAwareResources().stream()
                .anyMatch(resource ->
                        resource.apiVersion().isEmpty() || resource.kind().isEmpty());
        return incomplete
                ? Optional.of("contextAwareResources: apiVersion and kind must not be empty")
                : Optional.empty();
    }
}
