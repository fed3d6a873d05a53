package io.portcullis.server.preparation.child;

import java.util.List;
import java.util.OptionalInt;

/**
 * The cause why a child process ended without a result.
 *
 * @param message the text for operators: names the limit, its value, and who can change it
 */
public record PreparationFailure(Cause cause, String message) {

    private static final int SIGABRT = 128 + 6;
    private static final int SIGKILL = 128 + 9;
    private static final int SIGXCPU = 128 + 24;
    /** The exit code of a JVM with {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int JAVA_OUT_OF_MEMORY = 3;

    private static final int MAX_QUOTE = 200;
    private static final long MIB = 1 << 20;

    /** Texts that Rust, the C library and the JVM write when the kernel refuses memory. */
    private static final List<String> OUT_OF_MEMORY_TEXTS = List.of(
            "memory allocation of",
            "Cannot allocate memory",
            "insufficient memory",
            "OutOfMemoryError",
            "out of memory");

    /** The kind of failure; its wire name is the value of the metric label. */
    public enum Cause {
        MEMORY("memory"),
        CPU_TIME("cpu-time"),
        TIMEOUT("timeout"),
        COMPILED_SIZE("compiled-size"),
        INVALID_RESULT("invalid-result"),
        CRASH("crash"),
        NOT_STARTED("not-started");

        private final String wireName;

        Cause(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }

    /**
     * Finds the limit that ended a child.
     *
     * @param exitCode the exit code from the operating system; 128 plus the signal number for a signal
     * @param errors the text that the child wrote to standard error
     */
    static PreparationFailure ofExit(OptionalInt exitCode, String errors, PreparationLimits limits) {
        var code = exitCode.orElse(-1);
        if (code == JAVA_OUT_OF_MEMORY || OUT_OF_MEMORY_TEXTS.stream().anyMatch(errors::contains)) {
            return memory(limits);
        }
        return switch (code) {
            case SIGXCPU -> cpuTime(limits);
            case SIGKILL ->
                new PreparationFailure(
                        Cause.CRASH,
                        "the preparation process was killed from outside, for example because the memory of the"
                                + " container was exhausted; the PolicyServer's owner can raise spec.limits.memory");
            case SIGABRT -> crash("aborted", errors);
            default -> crash("ended with exit code " + code, errors);
        };
    }

    static PreparationFailure memory(PreparationLimits limits) {
        return new PreparationFailure(
                Cause.MEMORY,
                "the module needs more than " + limits.memoryBytes() / MIB
                        + " MiB to be prepared; an operator raises the limit"
                        + " with --preparation-memory (KUBEWARDEN_PREPARATION_MEMORY) or with more memory for the server");
    }

    static PreparationFailure cpuTime(PreparationLimits limits) {
        return new PreparationFailure(
                Cause.CPU_TIME,
                "the module needs more than " + limits.cpuSeconds() + " s of CPU time to be prepared; "
                        + raiseTimeout());
    }

    static PreparationFailure timeout(PreparationLimits limits) {
        return new PreparationFailure(
                Cause.TIMEOUT,
                "the module needs more than " + limits.timeout().toSeconds() + " s to be prepared; " + raiseTimeout());
    }

    static PreparationFailure compiledSize(PreparationLimits limits) {
        return new PreparationFailure(
                Cause.COMPILED_SIZE,
                "the compiled module is larger than " + limits.compiledBytes() / MIB
                        + " MiB; an operator raises the limit with"
                        + " --compiled-code-memory (KUBEWARDEN_COMPILED_CODE_MEMORY) or with more memory for the server");
    }

    static PreparationFailure invalidResult(String problem) {
        return new PreparationFailure(Cause.INVALID_RESULT, "the preparation process gave no valid result: " + problem);
    }

    public static PreparationFailure notStarted(String problem) {
        return new PreparationFailure(Cause.NOT_STARTED, "the preparation process could not be started: " + problem);
    }

    private static String raiseTimeout() {
        return "an operator raises the limit with --preparation-timeout (KUBEWARDEN_PREPARATION_TIMEOUT)";
    }

    private static PreparationFailure crash(String how, String errors) {
        var line = errors.strip().lines().findFirst().orElse("");
        var quote = line.isEmpty() ? "" : ": " + line.substring(0, Math.min(line.length(), MAX_QUOTE));
        return new PreparationFailure(Cause.CRASH, "the preparation process " + how + quote);
    }

    /** Whether the module caused the failure. Then the server does not retry it at once. */
    public boolean isCausedByModule() {
        return cause != Cause.NOT_STARTED;
    }
}
