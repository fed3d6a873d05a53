package io.portcullis.wasm.wasmtime;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A loaded shared library and the plain way to call its functions: by name, with boxed arguments. Good for everything
 * that happens once per engine or module; what happens once per request is in {@link Wasmtime}. Thread-safe. The
 * library stays loaded until the process ends.
 */
final class NativeLibrary {

    private static final Linker LINKER = Linker.nativeLinker();

    private final SymbolLookup symbols;
    private final ConcurrentHashMap<String, MethodHandle> functions = new ConcurrentHashMap<>();

    /** @throws IllegalArgumentException when the file is not a library this machine can load */
    NativeLibrary(Path file) {
        this.symbols = SymbolLookup.libraryLookup(file, Arena.global());
    }

    MemorySegment address(String function) {
        return symbols.find(function)
                .orElseThrow(() -> new IllegalArgumentException("the library has no function " + function));
    }

    boolean has(String function) {
        return symbols.find(function).isPresent();
    }

    void run(String function, Object... arguments) {
        call(function, null, arguments);
    }

    MemorySegment pointer(String function, Object... arguments) {
        return (MemorySegment) result(call(function, ValueLayout.ADDRESS, arguments));
    }

    long number(String function, Object... arguments) {
        return (long) result(call(function, ValueLayout.JAVA_LONG, arguments));
    }

    byte octet(String function, Object... arguments) {
        return (byte) result(call(function, ValueLayout.JAVA_BYTE, arguments));
    }

    boolean flag(String function, Object... arguments) {
        return (boolean) result(call(function, ValueLayout.JAVA_BOOLEAN, arguments));
    }

    private static Object result(@Nullable Object value) {
        if (value == null) {
            throw new IllegalStateException("a native function returned nothing");
        }
        return value;
    }

    private @Nullable Object call(String function, @Nullable MemoryLayout result, Object... arguments) {
        var handle = functions.computeIfAbsent(
                function, name -> LINKER.downcallHandle(address(name), descriptor(result, arguments)));
        try {
            return handle.invokeWithArguments(arguments);
        } catch (Throwable failure) {
            throw unexpected(failure);
        }
    }

    private static FunctionDescriptor descriptor(@Nullable MemoryLayout result, Object... arguments) {
        var layouts = Arrays.stream(arguments).map(NativeLibrary::layout).toArray(MemoryLayout[]::new);
        return result == null ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(result, layouts);
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case MemorySegment _ -> ValueLayout.ADDRESS;
            case Long _ -> ValueLayout.JAVA_LONG;
            case Integer _ -> ValueLayout.JAVA_INT;
            case Byte _ -> ValueLayout.JAVA_BYTE;
            case Boolean _ -> ValueLayout.JAVA_BOOLEAN;
            default -> throw new IllegalArgumentException("no C type for " + argument.getClass());
        };
    }

    /** Method handles declare {@link Throwable}; native functions throw nothing, so this is a bug of ours. */
    static RuntimeException unexpected(Throwable failure) {
        return switch (failure) {
            case RuntimeException exception -> exception;
            case Error error -> throw error;
            default -> new IllegalStateException("a native call failed", failure);
        };
    }
}
