package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import java.util.OptionalLong;

/**
 * The policy for which a module runs, and its limits.
 *
 * @param settings the settings object as JSON with sorted keys, serialised once at load
 * @param hostMemory the heap for host-side copies of guest data, shared by all evaluations
 */
public record ModuleContext(Caller caller, byte[] settings, SizeLimits limits, MemoryBudget hostMemory) {

    private static final MemoryBudget QUARTER_OF_HEAP = quarterOfHeap();

    /** Creates a context for tools that run one module. */
    public ModuleContext(Caller caller, byte[] settings, SizeLimits limits) {
        this(caller, settings, limits, QUARTER_OF_HEAP);
    }

    /** Returns a budget of a quarter of this JVM's heap. */
    public static MemoryBudget quarterOfHeap() {
        return hostMemory(OptionalLong.empty());
    }

    /** Returns a budget of the given size, by default a quarter of the heap. */
    public static MemoryBudget hostMemory(OptionalLong bytes) {
        return new MemoryBudget(
                "the memory budget of host functions (--host-function-memory)",
                bytes.orElse(Runtime.getRuntime().maxMemory() / 4));
    }

    public String policyId() {
        return caller.policyId();
    }
}
