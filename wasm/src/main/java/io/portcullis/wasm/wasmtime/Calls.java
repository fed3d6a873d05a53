package io.portcullis.wasm.wasmtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/**
 * Ways to call native functions, and to be called: with some number of arguments, all of them numbers, and a number as the
 * result. Pointers, sizes, flags and bytes travel in the same registers in the C calling conventions of 64-bit machines, and
 * arguments that a function does not look at do no harm, because the caller clears them away. So one shape serves nearly all
 * functions of Wasmtime; each further one would cost several milliseconds of code generation when a program starts.
 *
 * <p>Handles take the function's address first. What a function without result leaves behind is noise, and of a flag only
 * the lowest byte counts. Thread-safe.
 */
final class Calls {

    /** Arguments of the usual shape; those that a function does not have are zero. */
    private static final int USUAL = 6;

    /** May block and call back. */
    static final MethodHandle CALL = Linker.nativeLinker().downcallHandle(type(USUAL));

    /** Must do neither. */
    static final MethodHandle CRITICAL =
            Linker.nativeLinker().downcallHandle(type(USUAL), Linker.Option.critical(false));

    /** How Wasmtime calls us: all its callbacks have four arguments. */
    static final FunctionDescriptor CALLBACK = type(4);

    private Calls() {}

    /** For the few with more arguments. From the seventh on they travel on the stack: there only 64-bit ones may stand. */
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
