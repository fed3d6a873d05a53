package io.portcullis.api.capability;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Grammar of the patterns that grant host capabilities: {@code *}, a prefix such as {@code oci/v2/*}, or the full path of
 * one capability. The controller rejects invalid patterns; the policy server matches valid ones.
 */
public final class CapabilityPattern {

    /** All capabilities that need a grant. */
    public static final List<String> ALL = List.of(
            "crypto/v1/is_certificate_trusted",
            "kubernetes/can_i",
            "kubernetes/get_resource",
            "kubernetes/list_resources_all",
            "kubernetes/list_resources_by_namespace",
            "net/v1/dns_lookup_host",
            "oci/v1/manifest_digest",
            "oci/v1/oci_manifest",
            "oci/v1/oci_manifest_config",
            "oci/v1/verify",
            "oci/v2/verify");

    private static final String WILDCARD = "*";
    private static final Node TREE = tree();

    private CapabilityPattern() {}

    /** The reason why a pattern can never grant a capability. */
    public sealed interface Problem {

        record Empty() implements Problem {}

        /** The wildcard is not the complete last segment. */
        record MisplacedWildcard() implements Problem {}

        /**
         * The segment does not exist at this position.
         *
         * @param options the segments that exist, sorted
         */
        record UnknownSegment(String segment, List<String> options) implements Problem {}

        /** The path continues after a complete capability. */
        record BeyondCapability(String capability) implements Problem {}

        /** The path ends before it names a capability. */
        record Incomplete() implements Problem {}
    }

    public static Optional<Problem> check(String pattern) {
        if (pattern.isEmpty()) {
            return Optional.of(new Problem.Empty());
        }
        var segments = pattern.split("/", -1);
        var node = TREE;
        for (int i = 0; i < segments.length; i++) {
            var segment = segments[i];
            if (node.isCapability()) {
                return Optional.of(new Problem.BeyondCapability(
                        String.join("/", Arrays.asList(segments).subList(0, i))));
            }
            if (segment.contains(WILDCARD)) {
                boolean complete = segment.equals(WILDCARD) && i == segments.length - 1;
                return complete ? Optional.empty() : Optional.of(new Problem.MisplacedWildcard());
            }
            var child = node.children.get(segment);
            if (child == null) {
                return Optional.of(new Problem.UnknownSegment(segment, List.copyOf(node.children.keySet())));
            }
            node = child;
        }
        return node.isCapability() ? Optional.empty() : Optional.of(new Problem.Incomplete());
    }

    /** Returns whether the pattern grants the capability. The pattern must have passed {@link #check}. */
    public static boolean grants(String pattern, String capability) {
        return pattern.equals(WILDCARD)
                || pattern.equals(capability)
                || (pattern.endsWith("/*") && capability.startsWith(pattern.substring(0, pattern.length() - 1)));
    }

    private static Node tree() {
        var root = new Node(new TreeMap<>());
        for (String path : ALL) {
            var node = root;
            for (String segment : path.split("/", -1)) {
                node = node.children.computeIfAbsent(segment, _ -> new Node(new TreeMap<>()));
            }
        }
        return root;
    }

    private record Node(SortedMap<String, Node> children) {

        boolean isCapability() {
            return children.isEmpty();
        }
    }
}
