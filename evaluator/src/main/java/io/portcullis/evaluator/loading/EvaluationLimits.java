package io.portcullis.evaluator.loading;

import io.portcullis.wasm.Limits;
import java.time.Duration;
import java.util.Optional;

/**
 * Bounds on every evaluation.
 *
 * @param timeout for policies that set none of their own; empty means no limit
 */
public record EvaluationLimits(Limits guest, Optional<Duration> timeout) {

    /** For the validation of settings where evaluations are not limited: it must end, or loading never would. */
    static final Duration SETTINGS_VALIDATION = Duration.ofSeconds(30);

    public static final EvaluationLimits DEFAULT =
            new EvaluationLimits(Limits.DEFAULT, Optional.of(Duration.ofSeconds(2)));
}
