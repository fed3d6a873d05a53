package io.portcullis.wasm.wasmtime;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Ways to call native functions: with some number of arguments, all of them numbers, and a number as the result. Pointers,
 * sizes, flags and bytes travel in the same registers in the C calling conventions of 64-bit machines, so that a handful of
 * shapes serve all functions of Wasmtime; each shape costs milliseconds of code generation when the program starts.
 *
 * <p>Handles take the function's address first. What a function without result leaves behind is noise, and of a flag only
 * the lowest byte counts. Thread-safe.
 */
final class Calls {

    /** From the seventh on they travel on the stack, where some platforms pack small ones: there only 64-bit ones may stand. */
    private static final int MAX_ARGUMENTS = 9;

    private static final AtomicReferenceArray<MethodHandle> CALLING = new AtomicReferenceArray<>(MAX_ARGUMENTS + 1);

    private Calls() {}

    /** May block and call back. */
    static MethodHandle calling(int arguments) {
        var known = CALLING.get(arguments);
        if (known == null) {
            known = Linker.nativeLinker().downcallHandle(type(arguments));
            CALLING.set(arguments, known);
        }
        return known;
    }

    /** Must do neither. */
    static MethodHandle critical(int arguments) {
        return Linker.nativeLinker().downcallHandle(type(arguments), Linker.Option.critical(false));
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
