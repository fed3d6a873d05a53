package io.portcullis.wasm.wasmtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Method handles for native calls and upcalls. All arguments and the result are integers. The C calling conventions of 64-bit
 * machines pass pointers, sizes, flags and bytes in the same registers. Surplus arguments are harmless, because the caller
 * removes them. So one signature serves nearly all functions of Wasmtime. Each further signature would cost several
 * milliseconds of code generation at program start.
 *
 * <p>Handles take the function's address first. The result of a void function is undefined, and of a flag only
 * the lowest byte counts. Thread-safe.
 */
final class Calls {

    /** The number of arguments of the usual signature; surplus arguments are zero. */
    private static final int USUAL = 6;

    /** For functions that may block and call back. */
    static final MethodHandle CALL = Linker.nativeLinker().downcallHandle(type(USUAL));

    /** For functions that neither block nor call back. */
    static final MethodHandle CRITICAL =
            Linker.nativeLinker().downcallHandle(type(USUAL), Linker.Option.critical(false));

    /** The signature of upcalls: all callbacks of Wasmtime have four arguments. */
    static final FunctionDescriptor CALLBACK = type(4);

    private Calls() {}

    /** For the few functions with more arguments. From the seventh on they are on the stack, where all must be 64 bits wide. */
    private static final class Wide {
        static final int MOST = 9;
        static final MethodHandle CALL = Linker.nativeLinker().downcallHandle(type(MOST));
    }

    static long call(MemorySegment function, long... words) throws Throwable {
        if (words.length <= USUAL) {
            var all = Arrays.copyOf(words, USUAL);
            return (long) CALL.invokeExact(function, all[0], all[1], all[2], all[3], all[4], all[5]);
        }
        var all = Arrays.copyOf(words, Wide.MOST);
        return (long)
                Wide.CALL.invokeExact(function, all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7], all[8]);
    }

    static boolean isTrue(long result) {
        return (result & 0xff) != 0;
    }

    private static FunctionDescriptor type(int arguments) {
        var layouts = new MemoryLayout[arguments];
        Arrays.fill(layouts, JAVA_LONG);
        return FunctionDescriptor.of(JAVA_LONG, layouts);
    }
}
