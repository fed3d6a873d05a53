package io.portcullis.process.logging;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;

/** Detects a terminal on standard output. Calls the C library, because {@link System#console} also checks standard input. */
public final class TerminalDetection {

    private static final int STDOUT = 1;

    private TerminalDetection() {}

    /** Whether standard output is a terminal; false when that cannot be determined. */
    @SuppressWarnings("CatchingUnchecked")
    public static boolean isOutput() {
        var linker = Linker.nativeLinker();
        var isatty = linker.defaultLookup().find("isatty");
        if (isatty.isEmpty()) {
            return false;
        }
        try {
            var handle = linker.downcallHandle(
                    isatty.get(), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
            return (int) handle.invokeExact(STDOUT) == 1;
        } catch (Throwable e) { // what a method handle declares; this one throws nothing
            return false;
        }
    }
}
