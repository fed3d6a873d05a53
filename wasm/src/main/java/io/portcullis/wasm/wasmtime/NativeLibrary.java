package io.portcullis.wasm.wasmtime;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.ref.Reference;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A loaded shared library whose functions are called by name, with boxed arguments. It is for calls
 * that happen once per engine or module; {@link Wasmtime} has the calls of every request. Thread-safe. The
 * library stays loaded until the process ends.
 */
final class NativeLibrary {

    private final SymbolLookup symbols;
    private final ConcurrentHashMap<String, MemorySegment> addresses = new ConcurrentHashMap<>();

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
        call(function, arguments);
    }

    MemorySegment pointer(String function, Object... arguments) {
        return MemorySegment.ofAddress(call(function, arguments));
    }

    long number(String function, Object... arguments) {
        return call(function, arguments);
    }

    byte octet(String function, Object... arguments) {
        return (byte) call(function, arguments);
    }

    boolean flag(String function, Object... arguments) {
        return Calls.isTrue(call(function, arguments));
    }

    private long call(String function, Object... arguments) {
        var words = new long[arguments.length];
        for (var i = 0; i < arguments.length; i++) {
            words[i] = word(arguments[i]);
        }
        try {
            return Calls.call(addresses.computeIfAbsent(function, this::address), words);
        } catch (Throwable failure) {
            throw unexpected(failure);
        } finally {
            // Only the addresses of the arguments are passed.
            Reference.reachabilityFence(arguments);
        }
    }

    private static long word(Object argument) {
        return switch (argument) {
            case MemorySegment segment -> segment.address();
            case Long number -> number;
            case Integer number -> number;
            case Byte octet -> octet;
            case Boolean flag -> flag ? 1 : 0;
            default -> throw new IllegalArgumentException("no C type for " + argument.getClass());
        };
    }

    /** Method handles declare {@link Throwable}; native functions throw nothing, so this is a bug in our code. */
    static RuntimeException unexpected(Throwable failure) {
        return switch (failure) {
            case RuntimeException exception -> exception;
            case Error error -> throw error;
            default -> new IllegalStateException("a native call failed", failure);
        };
    }
}
