package io.portcullis.wasm.wasmtime;

import java.lang.foreign.MemorySegment;

/**
 * The functions of the Wasmtime C API that run for every request, without boxing or lookup. The method handles of {@link
 * Calls} are constants, so that the JIT compiles a call to a plain jump; the addresses belong to the loaded library. Functions
 * that neither block nor call back skip the thread-state switch ("critical").
 *
 * <p>Addresses are passed as plain numbers, see {@link Calls}. The caller keeps the native objects alive.
 */
final class Wasmtime {

    private final NativeLibrary library;
    private final MemorySegment storeNew;
    private final MemorySegment storeDelete;
    private final MemorySegment storeContext;
    private final MemorySegment storeLimiter;
    private final MemorySegment epochCallback;
    private final MemorySegment epochDeadline;
    private final MemorySegment incrementEpoch;
    private final MemorySegment preInstantiate;
    private final MemorySegment exportGet;
    private final MemorySegment callUnchecked;
    private final MemorySegment memoryData;
    private final MemorySegment memorySize;
    private final MemorySegment trapNew;
    private final MemorySegment errorNew;

    Wasmtime(NativeLibrary library) {
        this.library = library;
        this.storeNew = library.address("wasmtime_store_new");
        this.storeDelete = library.address("wasmtime_store_delete");
        this.storeContext = library.address("wasmtime_store_context");
        this.storeLimiter = library.address("wasmtime_store_limiter");
        this.epochCallback = library.address("wasmtime_store_epoch_deadline_callback");
        this.epochDeadline = library.address("wasmtime_context_set_epoch_deadline");
        this.incrementEpoch = library.address("wasmtime_engine_increment_epoch");
        this.preInstantiate = library.address("wasmtime_instance_pre_instantiate");
        this.exportGet = library.address("wasmtime_instance_export_get");
        this.callUnchecked = library.address("wasmtime_func_call_unchecked");
        this.memoryData = library.address("wasmtime_memory_data");
        this.memorySize = library.address("wasmtime_memory_data_size");
        this.trapNew = library.address("wasmtime_trap_new");
        this.errorNew = library.address("wasmtime_error_new");
    }

    NativeLibrary library() {
        return library;
    }

    MemorySegment newStore(MemorySegment engine) {
        try {
            return MemorySegment.ofAddress(
                    (long) Calls.CALL.invokeExact(storeNew, engine.address(), 0L, 0L, 0L, 0L, 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void deleteStore(MemorySegment store) {
        try {
            var _ = (long) Calls.CALL.invokeExact(storeDelete, store.address(), 0L, 0L, 0L, 0L, 0L);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    MemorySegment context(MemorySegment store) {
        try {
            return MemorySegment.ofAddress(
                    (long) Calls.CRITICAL.invokeExact(storeContext, store.address(), 0L, 0L, 0L, 0L, 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void limit(MemorySegment store, long memoryBytes, long tableElements, long instances, long tables, long memories) {
        try {
            var _ = (long) Calls.CRITICAL.invokeExact(
                    storeLimiter, store.address(), memoryBytes, tableElements, instances, tables, memories);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** Calls {@code callback} instead of trapping when the epoch deadline is reached. */
    void onEpochDeadline(MemorySegment store, MemorySegment callback) {
        try {
            var _ = (long)
                    Calls.CRITICAL.invokeExact(epochCallback, store.address(), callback.address(), 0L, 0L, 0L, 0L);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void setEpochDeadline(MemorySegment context, long ticks) {
        try {
            var _ = (long) Calls.CRITICAL.invokeExact(epochDeadline, context.address(), ticks, 0L, 0L, 0L, 0L);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void incrementEpoch(MemorySegment engine) {
        try {
            var _ = (long) Calls.CRITICAL.invokeExact(incrementEpoch, engine.address(), 0L, 0L, 0L, 0L, 0L);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** @return a {@code wasmtime_error_t} or null; {@code trap} receives a {@code wasm_trap_t} or stays null */
    MemorySegment instantiate(MemorySegment pre, MemorySegment context, MemorySegment instance, MemorySegment trap) {
        try {
            return MemorySegment.ofAddress((long) Calls.CALL.invokeExact(
                    preInstantiate, pre.address(), context.address(), instance.address(), trap.address(), 0L, 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    boolean export(MemorySegment context, MemorySegment instance, MemorySegment name, MemorySegment item) {
        try {
            return Calls.isTrue((long) Calls.CRITICAL.invokeExact(
                    exportGet,
                    context.address(),
                    instance.address(),
                    name.address(),
                    name.byteSize(),
                    item.address(),
                    0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** @return a {@code wasmtime_error_t} or null; {@code trap} receives a {@code wasm_trap_t} or stays null */
    MemorySegment call(
            MemorySegment context, MemorySegment function, MemorySegment values, long count, MemorySegment trap) {
        try {
            return MemorySegment.ofAddress((long) Calls.CALL.invokeExact(
                    callUnchecked, context.address(), function.address(), values.address(), count, trap.address(), 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    MemorySegment memoryData(MemorySegment context, MemorySegment memory) {
        try {
            return MemorySegment.ofAddress(
                    (long) Calls.CRITICAL.invokeExact(memoryData, context.address(), memory.address(), 0L, 0L, 0L, 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    long memorySize(MemorySegment context, MemorySegment memory) {
        try {
            return (long) Calls.CRITICAL.invokeExact(memorySize, context.address(), memory.address(), 0L, 0L, 0L, 0L);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** A {@code wasm_trap_t} that a host function returns to end the guest. */
    MemorySegment newTrap(MemorySegment message) {
        try {
            return MemorySegment.ofAddress(
                    (long) Calls.CRITICAL.invokeExact(trapNew, message.address(), message.byteSize(), 0L, 0L, 0L, 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** A {@code wasmtime_error_t} from a zero-terminated text. */
    MemorySegment newError(MemorySegment message) {
        try {
            return MemorySegment.ofAddress(
                    (long) Calls.CRITICAL.invokeExact(errorNew, message.address(), 0L, 0L, 0L, 0L, 0L));
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }
}
