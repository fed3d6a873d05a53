package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.SizeLimits;
import java.util.OptionalLong;

/**
 * For whom a module runs and within which bounds.
 *
 * @param settings the settings object as JSON with sorted keys, serialised once at load
 * @param hostMemory the heap for what the host makes of a guest's data, shared by all evaluations
 */
public record ModuleContext(Caller caller, byte[] settings, SizeLimits limits, MemoryBudget hostMemory) {

    private static final MemoryBudget QUARTER_OF_HEAP = quarterOfHeap();

    /** For tools that run one module. */
    public ModuleContext(Caller caller, byte[] settings, SizeLimits limits) {
        this(caller, settings, limits, QUARTER_OF_HEAP);
    }

    /** A budget that fits this JVM. */
    public static MemoryBudget quarterOfHeap() {
        return hostMemory(OptionalLong.empty());
    }

    /** A budget of the given size, by default a quarter of the heap. */
    public static MemoryBudget hostMemory(OptionalLong bytes) {
        return new MemoryBudget(
                "the memory budget of host functions (--host-function-memory)",
                bytes.orElse(Runtime.getRuntime().maxMemory() / 4));
    }

    public String policyId() {
        return caller.policyId();
    }
}
