package io.portcullis.wasm.wasmtime;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The functions of the Wasmtime C API that run for every request, without boxing or lookup. The method handles depend
 * on signatures only and are constants, so that the JIT compiles a call to a plain jump; the addresses belong to the
 * library that was loaded. Functions that neither block nor call back skip the thread-state switch ("critical").
 */
final class Wasmtime {

    private static final Linker LINKER = Linker.nativeLinker();

    private static final MethodHandle STORE_NEW = calling(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle STORE_DELETE = calling(FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle STORE_CONTEXT = critical(FunctionDescriptor.of(ADDRESS, ADDRESS));
    private static final MethodHandle STORE_LIMITER =
            critical(FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG));
    private static final MethodHandle EPOCH_CALLBACK =
            critical(FunctionDescriptor.ofVoid(ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle EPOCH_DEADLINE = critical(FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG));
    private static final MethodHandle INCREMENT_EPOCH = critical(FunctionDescriptor.ofVoid(ADDRESS));
    private static final MethodHandle PRE_INSTANTIATE =
            calling(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle EXPORT_GET =
            critical(FunctionDescriptor.of(JAVA_BOOLEAN, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle CALL_UNCHECKED =
            calling(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle MEMORY_DATA = critical(FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS));
    private static final MethodHandle MEMORY_SIZE = critical(FunctionDescriptor.of(JAVA_LONG, ADDRESS, ADDRESS));

    private static final MethodHandle TRAP_NEW = critical(FunctionDescriptor.of(ADDRESS, ADDRESS, JAVA_LONG));
    private static final MethodHandle ERROR_NEW = critical(FunctionDescriptor.of(ADDRESS, ADDRESS));

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
            return (MemorySegment) STORE_NEW.invokeExact(storeNew, engine, MemorySegment.NULL, MemorySegment.NULL);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void deleteStore(MemorySegment store) {
        try {
            STORE_DELETE.invokeExact(storeDelete, store);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    MemorySegment context(MemorySegment store) {
        try {
            return (MemorySegment) STORE_CONTEXT.invokeExact(storeContext, store);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void limit(MemorySegment store, long memoryBytes, long tableElements, long instances, long tables, long memories) {
        try {
            STORE_LIMITER.invokeExact(storeLimiter, store, memoryBytes, tableElements, instances, tables, memories);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** Asks {@code callback} instead of trapping when the epoch deadline is reached. */
    void onEpochDeadline(MemorySegment store, MemorySegment callback) {
        try {
            EPOCH_CALLBACK.invokeExact(epochCallback, store, callback, MemorySegment.NULL, MemorySegment.NULL);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void setEpochDeadline(MemorySegment context, long ticks) {
        try {
            EPOCH_DEADLINE.invokeExact(epochDeadline, context, ticks);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    void incrementEpoch(MemorySegment engine) {
        try {
            INCREMENT_EPOCH.invokeExact(incrementEpoch, engine);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** @return a {@code wasmtime_error_t} or null; {@code trap} receives a {@code wasm_trap_t} or stays null */
    MemorySegment instantiate(MemorySegment pre, MemorySegment context, MemorySegment instance, MemorySegment trap) {
        try {
            return (MemorySegment) PRE_INSTANTIATE.invokeExact(preInstantiate, pre, context, instance, trap);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    boolean export(MemorySegment context, MemorySegment instance, MemorySegment name, MemorySegment item) {
        try {
            return (boolean) EXPORT_GET.invokeExact(exportGet, context, instance, name, name.byteSize(), item);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** @return a {@code wasmtime_error_t} or null; {@code trap} receives a {@code wasm_trap_t} or stays null */
    MemorySegment call(
            MemorySegment context, MemorySegment function, MemorySegment values, long count, MemorySegment trap) {
        try {
            return (MemorySegment) CALL_UNCHECKED.invokeExact(callUnchecked, context, function, values, count, trap);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    MemorySegment memoryData(MemorySegment context, MemorySegment memory) {
        try {
            return (MemorySegment) MEMORY_DATA.invokeExact(memoryData, context, memory);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    long memorySize(MemorySegment context, MemorySegment memory) {
        try {
            return (long) MEMORY_SIZE.invokeExact(memorySize, context, memory);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** A {@code wasm_trap_t} that a host function returns to end the guest. */
    MemorySegment newTrap(MemorySegment message) {
        try {
            return (MemorySegment) TRAP_NEW.invokeExact(trapNew, message, message.byteSize());
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    /** A {@code wasmtime_error_t} from a zero-terminated text. */
    MemorySegment newError(MemorySegment message) {
        try {
            return (MemorySegment) ERROR_NEW.invokeExact(errorNew, message);
        } catch (Throwable failure) {
            throw NativeLibrary.unexpected(failure);
        }
    }

    private static MethodHandle calling(FunctionDescriptor type) {
        return LINKER.downcallHandle(type);
    }

    private static MethodHandle critical(FunctionDescriptor type) {
        return LINKER.downcallHandle(type, Linker.Option.critical(false));
    }
}
