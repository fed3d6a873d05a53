package io.portcullis.kwctl.metadata;

import io.portcullis.api.capability.CapabilityPattern;
import io.portcullis.evaluator.host.CapabilityPatterns;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Guesses from the strings in a module's data which host capabilities it uses, and compares them with the declared ones.
 *
 * @param undeclared probably used, but not declared
 * @param undetected declared, but without a sign of use
 */
public record HostCapabilityScan(Set<String> undeclared, Set<String> undetected) {

    /** Compares the capabilities. A declared pattern such as {@code oci/*} covers all capabilities that it grants. */
    public static HostCapabilityScan compare(Set<String> detected, Set<String> declared) {
        var patterns = List.copyOf(declared);
        var undeclared = new TreeSet<>(detected);
        undeclared.removeIf(capability -> CapabilityPatterns.allow(patterns, capability));
        var undetected = new TreeSet<>(declared);
        undetected.removeIf(pattern ->
                detected.stream().anyMatch(capability -> CapabilityPatterns.allow(List.of(pattern), capability)));
        return new HostCapabilityScan(undeclared, undetected);
    }

    /** Detects the used capabilities. A capability counts as used when both its namespace and its operation occur. */
    public static Set<String> detect(byte[] data) {
        // One character per byte, so that text search works on binary data.
        var text = new String(data, StandardCharsets.ISO_8859_1);
        var detected = new TreeSet<String>();
        for (var capability : CapabilityPattern.ALL) {
            var slash = capability.indexOf('/');
            if (text.contains(capability.substring(0, slash)) && occurs(text, capability.substring(slash + 1))) {
                detected.add(capability);
            }
        }
        return detected;
    }

    /** Returns whether the operation occurs other than as the prefix of a longer operation name. */
    private static boolean occurs(String text, String operation) {
        var longer = CapabilityPattern.ALL.stream()
                .map(capability -> capability.substring(capability.indexOf('/') + 1))
                .filter(other -> other.startsWith(operation) && !other.equals(operation))
                .toList();
        for (var at = text.indexOf(operation); at >= 0; at = text.indexOf(operation, at + 1)) {
            var place = at;
            if (longer.stream().noneMatch(other -> text.startsWith(other, place))) {
                return true;
            }
        }
        return false;
    }
}
