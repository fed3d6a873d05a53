package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import java.time.Duration;
import java.util.Optional;

/**
 * Bounds on every evaluation.
 *
 * @param timeout for policies that set none of their own; empty means no limit
 * @param hostMemory the heap that all evaluations share for what the host makes of a guest's data: trees for patches
 *     and the operands of Rego built-ins
 */
public record EvaluationLimits(SizeLimits guest, Optional<Duration> timeout, MemoryBudget hostMemory) {

    /** With a quarter of the heap for {@link #hostMemory}. */
    public EvaluationLimits(SizeLimits guest, Optional<Duration> timeout) {
        this(guest, timeout, ModuleContext.quarterOfHeap());
    }

    /** For the validation of settings where evaluations are not limited: it must end, or loading never would. */
    static final Duration SETTINGS_VALIDATION = Duration.ofSeconds(30);

    public static final EvaluationLimits DEFAULT =
            new EvaluationLimits(SizeLimits.DEFAULT, Optional.of(Duration.ofSeconds(2)));
}
