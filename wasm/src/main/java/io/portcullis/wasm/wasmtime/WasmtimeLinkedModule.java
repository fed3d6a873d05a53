package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.MemoryUse;
import io.portcullis.wasm.SizeLimits;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A module whose imports are resolved. Usually it holds an {@code instance_pre}, from which an instance costs a few
 * microseconds. A module that imports its memory is linked for every instance ({@link MemoryImport}), because a memory
 * belongs to one store.
 */
final class WasmtimeLinkedModule implements LinkedModule {

    /** Creates instances once the imports are resolved. */
    interface Instantiation {

        /** @return a {@code wasmtime_error_t} or null; fills {@code scratch.instance} and {@code scratch.trap} */
        MemorySegment instantiate(MemorySegment context, Scratch scratch);

        /** Fills {@code scratch.memory}. */
        boolean findMemory(MemorySegment context, Scratch scratch);

        void release();
    }

    private final WasmtimeModule module;
    private final Instantiation instantiation;
    private final Arena stubs;
    private final ReferenceCount references;
    private final MemoryUse memoryUse;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Takes over one reference to {@code module}, and {@code stubs}. */
    WasmtimeLinkedModule(WasmtimeModule module, Instantiation instantiation, Arena stubs) {
        this.module = module;
        this.instantiation = instantiation;
        this.stubs = stubs;
        this.memoryUse = module.outline().memoryUse();
        this.references = new ReferenceCount(this::delete);
    }

    @Override
    public Instance instantiate(SizeLimits limits, Deadline deadline, Object hostState) {
        references.take();
        WasmtimeInstance instance;
        try {
            instance = new WasmtimeInstance(this, limits, deadline, hostState);
        } catch (Throwable failure) {
            references.drop();
            throw failure;
        }
        try {
            instance.start();
            return instance;
        } catch (Throwable failure) {
            instance.close();
            throw failure;
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            references.drop();
        }
    }

    MemoryUse memoryUse() {
        return memoryUse;
    }

    WasmtimeModule module() {
        return module;
    }

    WasmtimeEngine engine() {
        return module.engine();
    }

    MemorySegment nativeEngine() {
        return module.nativeEngine();
    }

    MemorySegment instantiate(MemorySegment context, Scratch scratch) {
        scratch.clearedTrap();
        return instantiation.instantiate(context, scratch);
    }

    boolean findMemory(MemorySegment context, Scratch scratch) {
        return instantiation.findMemory(context, scratch);
    }

    void release() {
        references.drop();
    }

    private void delete() {
        instantiation.release();
        stubs.close();
        module.release();
    }
}
