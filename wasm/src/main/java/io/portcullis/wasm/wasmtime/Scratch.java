package io.portcullis.wasm.wasmtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The small native structs that one instance needs. They are allocated once in one block and reused by
 * later instances of the same thread, so that a request allocates no native memory on the Java side.
 */
final class Scratch {

    /** More values than any function of a policy ABI takes or returns. */
    static final int MAX_VALUES = 32;

    private static final long INSTANCE = 0;
    private static final long MEMORY = 16;
    private static final long TRAP = 40;
    private static final long EXTERN = 48;
    private static final long VALUES = 80;

    final MemorySegment instance;
    final MemorySegment memory;
    final MemorySegment trap;
    final MemorySegment extern;
    final MemorySegment externOf;
    final MemorySegment values;

    Scratch() {
        var all = Arena.ofAuto().allocate(VALUES + MAX_VALUES * Layouts.RAW_VALUE_SIZE, 16);
        this.instance = all.asSlice(INSTANCE, Layouts.INSTANCE_SIZE);
        this.memory = all.asSlice(MEMORY, Layouts.MEMORY_SIZE);
        this.trap = all.asSlice(TRAP, ValueLayout.ADDRESS.byteSize());
        this.extern = all.asSlice(EXTERN, Layouts.EXTERN_SIZE);
        this.externOf = extern.asSlice(Layouts.EXTERN_OF);
        this.values = all.asSlice(VALUES);
    }

    /** The trap pointer, made null again before a call. */
    MemorySegment clearedTrap() {
        trap.set(ValueLayout.ADDRESS, 0, MemorySegment.NULL);
        return trap;
    }

    /**
     * Takes the trap that a call raised, or null, and clears the field, because the caller frees the trap. A nested guest
     * call from a host function shares this memory with the outer call.
     */
    MemorySegment takeTrap() {
        var raised = trap.get(ValueLayout.ADDRESS, 0);
        trap.set(ValueLayout.ADDRESS, 0, MemorySegment.NULL);
        return raised;
    }
}
