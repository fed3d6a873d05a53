package io.portcullis.server.preparation.child;

import io.portcullis.evaluator.loading.ModulePreparation.Job;
import io.portcullis.server.preparation.child.PreparationMessages.InvalidResultException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** One child process for one module. It waits for its job, so the server can start it in advance. */
public final class PreparationProcess implements AutoCloseable {

    private static final Duration MEMORY_CHECK_INTERVAL = Duration.ofMillis(50);
    private static final Duration EXIT_WAIT = Duration.ofSeconds(2);
    private static final int MAX_ERROR_TEXT = 4096;

    /** The result of a child's work. */
    public sealed interface Ending {

        record Answered(PreparationResult result) implements Ending {}

        record Failed(PreparationFailure failure) implements Ending {}
    }

    private final Process process;
    private final PreparationLimits limits;
    private final CompletableFuture<String> errors;

    private PreparationProcess(Process process, PreparationLimits limits) {
        this.process = process;
        this.limits = limits;
        this.errors = readInThread("preparation-errors", () -> errorText(process));
    }

    /** @throws IOException when the operating system cannot start the process */
    public static PreparationProcess start(List<String> command, PreparationLimits limits) throws IOException {
        var builder = new ProcessBuilder(command).directory(new File("/"));
        // The child must not inherit credentials, proxies and JVM options of the server.
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of(
                        "RAYON_NUM_THREADS", Integer.toString(limits.compilerThreads()), "MALLOC_ARENA_MAX", "2"));
        return new PreparationProcess(builder.start(), limits);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /**
     * Sends the module to the child and waits for the result, within the limits. Kills the child afterwards.
     *
     * @throws InterruptedException when the work is cancelled
     */
    public Ending run(Job job) throws InterruptedException {
        var start = System.nanoTime();
        var answer = readInThread("preparation-pipe", () -> exchange(job));
        try {
            while (true) {
                try {
                    return new Ending.Answered(answer.get(MEMORY_CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS));
                } catch (TimeoutException e) {
                    if (limits.isOverdue(Duration.ofNanos(System.nanoTime() - start), cpuTime())) {
                        return new Ending.Failed(PreparationFailure.timeout(limits));
                    }
                    if (ChildMemory.of(process.pid()).orElse(0) > limits.memoryBytes()) {
                        return new Ending.Failed(PreparationFailure.memory(limits));
                    }
                } catch (ExecutionException e) {
                    return new Ending.Failed(failure(e.getCause()));
                }
            }
        } finally {
            close();
        }
    }

    private Duration cpuTime() {
        return process.info().totalCpuDuration().orElse(limits.timeout());
    }

    private PreparationResult exchange(Job job) throws IOException {
        try {
            PreparationMessages.writeJob(job, process.getOutputStream());
        } catch (IOException e) {
            // The child may have exited already. Then its exit code and error text contain the cause.
            return PreparationMessages.readResult(process.getInputStream(), limits.compiledBytes());
        }
        return PreparationMessages.readResult(process.getInputStream(), limits.compiledBytes());
    }

    private PreparationFailure failure(@Nullable Throwable cause) throws InterruptedException {
        var invalid = cause instanceof InvalidResultException found
                ? Optional.of(found)
                : Optional.<InvalidResultException>empty();
        if (invalid.isPresent() && invalid.get().isTooLarge()) {
            return PreparationFailure.compiledSize(limits);
        }
        // The pipe is closed, so the child has exited or is about to. A child that wrote garbage may still run.
        var exitCode = process.waitFor(EXIT_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                ? OptionalInt.of(process.exitValue())
                : OptionalInt.empty();
        if (exitCode.isEmpty() || exitCode.getAsInt() == 0) {
            return PreparationFailure.invalidResult(
                    invalid.map(InvalidResultException::getMessage).orElse("it ended before its answer was complete"));
        }
        var output = invalid.map(InvalidResultException::text).orElse("");
        return PreparationFailure.ofExit(exitCode, finishedErrors() + output, limits);
    }

    private String finishedErrors() throws InterruptedException {
        try {
            return errors.get(EXIT_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            return "";
        }
    }

    /**
     * Returns the beginning of standard error, which names the cause. Reads and drops the rest, so that the child never
     * blocks.
     */
    private static String errorText(Process process) throws IOException {
        try (var in = process.getErrorStream()) {
            var text = new String(in.readNBytes(MAX_ERROR_TEXT), StandardCharsets.UTF_8);
            while (in.skip(Long.MAX_VALUE) > 0 || in.read() >= 0) {
                // Dropped.
            }
            return text;
        }
    }

    @FunctionalInterface
    private interface PipeRead<T> {
        T read() throws IOException;
    }

    /** Reads on a separate thread, because reads from pipes have no timeout. The thread ends when the child exits. */
    private static <T> CompletableFuture<T> readInThread(String name, PipeRead<T> reading) {
        var future = new CompletableFuture<T>();
        Thread.ofPlatform().name(name).daemon().start(() -> {
            try {
                future.complete(reading.read());
            } catch (IOException | RuntimeException e) {
                future.completeExceptionally(e);
            }
        });
        return future;
    }

    /** Kills the child. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
