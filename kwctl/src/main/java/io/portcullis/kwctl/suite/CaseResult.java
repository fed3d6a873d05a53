package io.portcullis.kwctl.suite;

import java.time.Duration;
import java.util.List;

/**
 * The result of a case.
 *
 * @param mismatches differences from the expectation; empty when the case passed
 */
public record CaseResult(String suite, String name, List<String> mismatches, Duration duration) {

    public CaseResult {
        mismatches = List.copyOf(mismatches);
    }

    public boolean passed() {
        return mismatches.isEmpty();
    }
}
