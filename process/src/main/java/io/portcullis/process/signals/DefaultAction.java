package io.portcullis.process.signals;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restores the default action of SIGTERM and SIGINT, which ends the process. Once the JVM is shutting
 * down it ignores both, so that an operator could only use SIGKILL.
 */
final class DefaultAction {

    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;
    private static final MemorySegment SIG_DFL = MemorySegment.NULL;
    private static final Logger log = LoggerFactory.getLogger(DefaultAction.class);

    private DefaultAction() {}

    /** Calls {@code signal(2)} of the C library. */
    static void restore() {
        var linker = Linker.nativeLinker();
        linker.defaultLookup().find("signal").ifPresent(address -> {
            var signal = linker.downcallHandle(
                    address, FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
            restore(signal, SIGINT);
            restore(signal, SIGTERM);
        });
    }

    /** Catches Throwable because a method handle declares it; the call itself throws nothing. */
    @SuppressWarnings("CatchingUnchecked")
    private static void restore(MethodHandle signal, int number) {
        try {
            var _ = (MemorySegment) signal.invokeExact(number, SIG_DFL);
        } catch (Throwable e) {
            log.atWarn().addKeyValue("error", e).log("a second signal will not end the process");
        }
    }
}
