package io.portcullis.evaluator.host;

import io.portcullis.api.capability.CapabilityPattern;
import io.portcullis.api.capability.CapabilityPattern.Problem;
import java.util.List;
import java.util.Optional;

/**
 * Patterns that grant host capabilities to a policy. An empty list grants nothing. Loading a policy checks the
 * patterns; every host call matches against them. Every policy may use {@code tracing/log}. White space around a
 * pattern is ignored.
 */
public final class CapabilityPatterns {

    private static final String EVERYTHING = "*";

    private CapabilityPatterns() {}

    /**
     * Returns the problem of the first pattern that can never match, so that a typing error does not silently deny
     * access.
     */
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

    /** Returns whether the list grants the capability. The list must have passed {@link #problem}. */
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
