package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import java.time.Duration;
import java.util.Optional;

/**
 * Limits of every evaluation.
 *
 * @param timeout the limit of policies that set none; empty means no limit
 * @param hostMemory the heap that all evaluations share for host-side copies of guest data: trees for patches and
 *     the operands of Rego built-ins
 */
public record EvaluationLimits(SizeLimits guest, Optional<Duration> timeout, MemoryBudget hostMemory) {

    /** Uses a quarter of the heap for {@link #hostMemory}. */
    public EvaluationLimits(SizeLimits guest, Optional<Duration> timeout) {
        this(guest, timeout, ModuleContext.quarterOfHeap());
    }

    /** The limit of settings validation if evaluations have no limit; without it, loading might never end. */
    static final Duration SETTINGS_VALIDATION = Duration.ofSeconds(30);

    public static final EvaluationLimits DEFAULT =
            new EvaluationLimits(SizeLimits.DEFAULT, Optional.of(Duration.ofSeconds(2)));
}
