package io.portcullis.server.preparation.child;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;

/** Sets the resource limits of this Linux process. They apply until it exits and cannot be raised again. */
final class ResourceLimits {

    private static final int CPU = 0;
    private static final int FILE_SIZE = 1;
    private static final int DATA = 2;
    private static final int CORE = 4;
    private static final int NICE = 5;
    private static final int SET_NO_NEW_PRIVILEGES = 38;
    private static final Path OOM_SCORE = Path.of("/proc/self/oom_score_adj");

    private ResourceLimits() {}

    /**
     * Limits this process permanently.
     *
     * <p>The data limit counts private writable memory. The address space is not limited, because the engine reserves four
     * GiB of it for each guest memory.
     *
     * @throws IllegalStateException when the kernel refuses
     */
    static void apply(long dataBytes, long cpuSeconds) {
        if (!System.getProperty("os.name").startsWith("Linux")) {
            return;
        }
        var linker = Linker.nativeLinker();
        var setrlimit = linker.downcallHandle(
                linker.defaultLookup().find("setrlimit").orElseThrow(),
                FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        set(setrlimit, DATA, dataBytes, dataBytes);
        // The engine stores the initial content of a guest memory in an anonymous file.
        set(setrlimit, FILE_SIZE, dataBytes, dataBytes);
        // The kernel sends SIGXCPU at the first limit and SIGKILL at the second.
        set(setrlimit, CPU, cpuSeconds, cpuSeconds + 1);
        set(setrlimit, CORE, 0, 0);
        yieldToServer(linker);
        forbidNewPrivileges(linker);
        preferForOomKill();
    }

    private static void set(MethodHandle setrlimit, int resource, long soft, long hard) {
        try (var arena = Arena.ofConfined()) {
            var limit = arena.allocateFrom(ValueLayout.JAVA_LONG, soft, hard);
            if ((int) setrlimit.invokeExact(resource, limit) != 0) {
                throw new IllegalStateException("the kernel refuses limit " + resource + " of " + soft);
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("setrlimit cannot be called", e);
        }
    }

    /**
     * Lowers the priority of this process below the threads that serve requests. Applies to this thread and threads that it
     * starts, such as compiler threads.
     */
    private static void yieldToServer(Linker linker) {
        var setpriority = linker.downcallHandle(
                linker.defaultLookup().find("setpriority").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
        try {
            if ((int) setpriority.invokeExact(0, 0, NICE) != 0) {
                System.err.println("cannot lower the priority of this process");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("setpriority cannot be called", e);
        }
    }

    private static void forbidNewPrivileges(Linker linker) {
        var prctl = linker.downcallHandle(
                linker.defaultLookup().find("prctl").orElseThrow(),
                FunctionDescriptor.of(
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_INT,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG,
                        ValueLayout.JAVA_LONG),
                Linker.Option.firstVariadicArg(1));
        try {
            if ((int) prctl.invokeExact(SET_NO_NEW_PRIVILEGES, 1L, 0L, 0L, 0L) != 0) {
                throw new IllegalStateException("the kernel refuses no_new_privs");
            }
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("prctl cannot be called", e);
        }
    }

    /** Makes the kernel kill this process rather than the server when memory is short. */
    private static void preferForOomKill() {
        try {
            Files.writeString(OOM_SCORE, "1000");
        } catch (IOException e) {
            // A container without /proc: the data limit still applies.
            System.err.println("cannot set oom_score_adj: " + e);
        }
    }
}
