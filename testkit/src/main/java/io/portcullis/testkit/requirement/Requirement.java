package io.portcullis.testkit.requirement;

import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule for tests that need more than a JVM. If the machine lacks a requirement, the tests are skipped with a
 * warning, so that all others still run. In CI they fail, so that a skipped test is never taken for a passed one.
 *
 * @param strict whether a missing requirement is a failure
 */
public record Requirement(boolean strict) {

    private static final Logger log = LoggerFactory.getLogger(Requirement.class);

    public static Requirement fromEnvironment() {
        return from(System.getenv());
    }

    static Requirement from(Map<String, String> environment) {
        return new Requirement("true".equals(environment.get("CI")));
    }

    /**
     * Runs {@code preparation}. If it fails, disables the test with its message, or rethrows its exception if strict.
     */
    public ConditionEvaluationResult check(Runnable preparation) {
        try {
            preparation.run();
            return ConditionEvaluationResult.enabled("all requirements are present");
        } catch (RuntimeException e) {
            if (strict) {
                throw e;
            }
            log.atWarn().addKeyValue("error", e.getMessage()).log("TESTS SKIPPED: a requirement is missing");
            return ConditionEvaluationResult.disabled(String.valueOf(e.getMessage()));
        }
    }
}
