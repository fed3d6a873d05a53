package io.portcullis.testkit.requirement;

import java.util.Map;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The rule for tests that need more than a JVM: where the machine cannot give it, they are skipped aloud, so that all
 * others still run; in CI they fail, so that nobody mistakes a skip for a proof.
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

    /** Enabled if {@code preparation} succeeds; otherwise disabled with its message, or its exception if strict. */
    public ConditionEvaluationResult check(Runnable preparation) {
        try {
            preparation.run();
            return ConditionEvaluationResult.enabled("what it needs is here");
        } catch (RuntimeException e) {
            if (strict) {
                throw e;
            }
            log.atWarn().addKeyValue("error", e.getMessage()).log("TESTS SKIPPED: something they need is missing");
            return ConditionEvaluationResult.disabled(String.valueOf(e.getMessage()));
        }
    }
}
