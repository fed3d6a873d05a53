package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.EngineLimits;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The configuration of Wasmtime. The same list configures the engine and enters the fingerprint.
 *
 * <p>Memory is reserved as 4 GiB of address space per slot, so that compiled code needs no bounds checks and memory
 * never moves. The pool reserves address space only; pages are touched by the guests that use them.
 */
final class EngineConfig {

    /** The default of Wasmtime and of Kubewarden. Leaves half of a default Java thread's stack to Java code. */
    static final long MAX_STACK_BYTES = 512 << 10;

    static final int MAX_TABLES = 4;

    private static final long POOL_TABLE_ELEMENTS = 100_000;
    private static final long MEMORY_RESERVATION = 4L << 30;
    private static final long MAX_INSTANCE_BYTES = 16L << 20;
    private static final byte OPTIMISE_FOR_SPEED = 1;

    private static final long KEEP_RESIDENT_TABLE_BYTES = 256L << 10;

    /** One configuration call; {@code value} is a boolean or a size. */
    private record Setting(String function, Object value) {}

    private static final List<Setting> SETTINGS = List.of(
            new Setting("wasmtime_config_epoch_interruption_set", true),
            new Setting("wasmtime_config_parallel_compilation_set", true),
            new Setting("wasmtime_config_memory_init_cow_set", true),
            new Setting("wasmtime_config_memory_may_move_set", false),
            new Setting("wasmtime_config_memory_reservation_set", MEMORY_RESERVATION),
            new Setting("wasmtime_config_max_wasm_stack_set", MAX_STACK_BYTES),
            new Setting("wasmtime_config_cranelift_opt_level_set", OPTIMISE_FOR_SPEED),
            new Setting("wasmtime_config_wasm_bulk_memory_set", true),
            new Setting("wasmtime_config_wasm_multi_value_set", true),
            new Setting("wasmtime_config_wasm_reference_types_set", true),
            new Setting("wasmtime_config_wasm_function_references_set", true),
            new Setting("wasmtime_config_wasm_simd_set", true),
            new Setting("wasmtime_config_wasm_relaxed_simd_set", true),
            new Setting("wasmtime_config_wasm_tail_call_set", true),
            new Setting("wasmtime_config_wasm_gc_set", false),
            new Setting("wasmtime_config_wasm_threads_set", false),
            new Setting("wasmtime_config_wasm_memory64_set", false),
            new Setting("wasmtime_config_wasm_multi_memory_set", true),
            new Setting("wasmtime_config_wasm_component_model_set", false));

    private EngineConfig() {}

    /** Identifies the content of a serialised module besides native code. */
    private static final String OUTLINE = "outline with tables";

    /** A {@code wasm_config_t}, owned by the engine that is made from it. */
    static MemorySegment pooling(NativeLibrary library, EngineLimits limits) {
        var config = onDemand(library);
        var pool = library.pointer("wasmtime_pooling_allocation_config_new");
        poolSettings(limits).forEach(setting -> library.run(setting.function, pool, setting.value));
        library.run("wasmtime_pooling_allocation_strategy_set", config, pool);
        library.run("wasmtime_pooling_allocation_config_delete", pool);
        return config;
    }

    /** For modules that do not fit into a slot of the pool, for example with an unusual number of tables. */
    static MemorySegment onDemand(NativeLibrary library) {
        var config = library.pointer("wasm_config_new");
        SETTINGS.forEach(setting -> library.run(setting.function, config, setting.value));
        return config;
    }

    /** Returns all settings that change compiled code, for the fingerprint. The size of the pool does not. */
    static String description() {
        return SETTINGS + OUTLINE;
    }

    /**
     * The pool for these limits. Memory up to {@link EngineLimits#warmInstanceBytes} is zeroed or copied back when a
     * slot is freed instead of being returned to the kernel, which saves the page faults of the next request (a third of
     * the CPU for a policy from Go). Only memory that a guest has is cleared and kept, so small policies pay nothing.
     */
    private static List<Setting> poolSettings(EngineLimits limits) {
        var prefix = "wasmtime_pooling_allocation_config_";
        return List.of(
                new Setting(prefix + "total_core_instances_set", limits.instances()),
                new Setting(prefix + "total_memories_set", limits.instances()),
                new Setting(prefix + "total_tables_set", limits.instances() * MAX_TABLES),
                // Stacks are for asynchronous calls, which we do not use; each costs two mappings, and a process has
                // 65,530.
                new Setting(prefix + "total_stacks_set", 1),
                new Setting(prefix + "max_tables_per_module_set", MAX_TABLES),
                new Setting(prefix + "table_elements_set", POOL_TABLE_ELEMENTS),
                new Setting(prefix + "max_core_instance_size_set", MAX_INSTANCE_BYTES),
                new Setting(prefix + "max_memory_size_set", MEMORY_RESERVATION),
                new Setting(prefix + "max_unused_warm_slots_set", limits.warmInstances()),
                new Setting(prefix + "linear_memory_keep_resident_set", limits.warmInstanceBytes()),
                new Setting(prefix + "table_keep_resident_set", KEEP_RESIDENT_TABLE_BYTES));
    }
}
