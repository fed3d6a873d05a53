package io.portcullis.evaluator.host;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The patterns that grant host capabilities to a policy: {@code *}, a prefix such as {@code oci/v2/*}, or the full path
 * of one capability. An empty list grants nothing. Checked when a policy is loaded, matched at every host call.
 */
public final class CapabilityPatterns {

    /** Every capability that needs a grant. {@code tracing/log} is free for all. */
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

    private static final String EVERYTHING = "*";

    private static final Node TREE = tree();

    private CapabilityPatterns() {}

    /** What makes the first bad pattern impossible to match, so that a typing error does not silently deny. */
    public static Optional<String> problem(List<String> patterns) {
        for (var item : patterns) {
            var pattern = item.trim();
            if (pattern.equals(EVERYTHING)) {
                return Optional.empty();
            }
            var problem = problem(pattern);
            if (problem.isPresent()) {
                return problem;
            }
        }
        return Optional.empty();
    }

    /** Whether the list, checked before, grants the capability. */
    public static boolean allow(List<String> patterns, String path) {
        for (var item : patterns) {
            var pattern = item.trim();
            if (pattern.equals(EVERYTHING) || pattern.equals(path)) {
                return true;
            }
            if (pattern.endsWith("/*") && path.startsWith(pattern.substring(0, pattern.length() - 1))) {
                return true;
            }
        }
        return false;
    }

    private static Optional<String> problem(String pattern) {
        if (pattern.isEmpty()) {
            return Optional.of("invalid pattern: pattern must not be empty");
        }
        var segments = pattern.split("/", -1);
        var node = TREE;
        for (int i = 0; i < segments.length; i++) {
            var segment = segments[i];
            boolean last = i == segments.length - 1;
            if (segment.contains(EVERYTHING)) {
                if (!last || !segment.equals(EVERYTHING) || node.isLeaf()) {
                    return Optional.of(misplacedWildcard(pattern, segment, node));
                }
                return Optional.empty();
            }
            var child = node.children.get(segment);
            if (child == null) {
                return Optional.of(unknownSegment(pattern, segment, node));
            }
            node = child;
        }
        return node.isLeaf()
                ? Optional.empty()
                : Optional.of("invalid pattern '%s': incomplete capability path, did you mean '%s/*'?"
                        .formatted(pattern, pattern));
    }

    private static String misplacedWildcard(String pattern, String segment, Node node) {
        if (node.isLeaf()) {
            return unknownSegment(pattern, segment, node);
        }
        return "invalid pattern '%s': the wildcard '*' must be the entire last segment".formatted(pattern);
    }

    private static String unknownSegment(String pattern, String segment, Node node) {
        var valid = node.isLeaf()
                ? "nothing may follow a complete capability path"
                : "valid segments are: " + String.join(", ", node.children.keySet());
        return "invalid pattern '%s': unknown segment '%s', %s".formatted(pattern, segment, valid);
    }

    private static Node tree() {
        var root = new Node(new TreeMap<>());
        for (var path : ALL) {
            var node = root;
            for (var segment : path.split("/", -1)) {
                node = node.children.computeIfAbsent(segment, _ -> new Node(new TreeMap<>()));
            }
        }
        return root;
    }

    private record Node(Map<String, Node> children) {
        boolean isLeaf() {
            return children.isEmpty();
        }
    }
}
