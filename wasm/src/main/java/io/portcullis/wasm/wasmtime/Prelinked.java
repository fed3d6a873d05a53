package io.portcullis.wasm.wasmtime;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Instances from an {@code instance_pre}: all imports were resolved when the module was linked. */
record Prelinked(Wasmtime wasmtime, MemorySegment pre, MemorySegment memoryName)
        implements WasmtimeLinkedModule.Instantiation {

    @Override
    public MemorySegment instantiate(MemorySegment context, Scratch scratch) {
        return wasmtime.instantiate(pre, context, scratch.instance, scratch.trap);
    }

    @Override
    public boolean findMemory(MemorySegment context, Scratch scratch) {
        return exportedMemory(wasmtime, memoryName, context, scratch);
    }

    @Override
    public void release() {
        wasmtime.library().run("wasmtime_instance_pre_delete", pre);
    }

    static boolean exportedMemory(Wasmtime wasmtime, MemorySegment memoryName, MemorySegment context, Scratch scratch) {
        if (!wasmtime.export(context, scratch.instance, memoryName, scratch.extern)
                || scratch.extern.get(ValueLayout.JAVA_BYTE, 0) != Layouts.EXTERN_MEMORY) {
            return false;
        }
        MemorySegment.copy(scratch.externOf, 0, scratch.memory, 0, Layouts.MEMORY_SIZE);
        return true;
    }
}
