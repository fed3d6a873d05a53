package io.portcullis.evaluator.host;

import io.portcullis.api.capability.CapabilityPattern;
import io.portcullis.api.capability.CapabilityPattern.Problem;
import java.util.List;
import java.util.Optional;

/**
 * The patterns that grant host capabilities to a policy. An empty list grants nothing. Checked when a policy is loaded,
 * matched at every host call; {@code tracing/log} is free for all. White space around a pattern does not count.
 */
public final class CapabilityPatterns {

    private static final String EVERYTHING = "*";

    private CapabilityPatterns() {}

    /** What makes the first bad pattern impossible to match, so that a typing error does not silently deny. */
    public static Optional<String> problem(List<String> patterns) {
        for (var item : patterns) {
            var pattern = item.trim();
            if (pattern.equals(EVERYTHING)) {
                return Optional.empty();
            }
            var problem = CapabilityPattern.check(pattern);
            if (problem.isPresent()) {
                return Optional.of(text(pattern, problem.get()));
            }
        }
        return Optional.empty();
    }

    /** Whether the list, checked before, grants the capability. */
    public static boolean allow(List<String> patterns, String capability) {
        for (var pattern : patterns) {
            if (CapabilityPattern.grants(pattern.trim(), capability)) {
                return true;
            }
        }
        return false;
    }

    private static String text(String pattern, Problem problem) {
        var why = switch (problem) {
            case Problem.Empty() -> "pattern must not be empty";
            case Problem.MisplacedWildcard() -> "the wildcard '*' must be the entire last segment";
            case Problem.UnknownSegment(var segment, var options) ->
                "unknown segment '%s', valid segments are: %s".formatted(segment, String.join(", ", options));
            case Problem.BeyondCapability(var capability) ->
                "unknown segment '%s', nothing may follow a complete capability path"
                        .formatted(pattern.substring(capability.length() + 1).split("/", -1)[0]);
            case Problem.Incomplete() -> "incomplete capability path, did you mean '%s/*'?".formatted(pattern);
        };
        return pattern.isEmpty() ? "invalid pattern: " + why : "invalid pattern '%s': %s".formatted(pattern, why);
    }
}
