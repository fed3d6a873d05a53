package io.portcullis.server.cluster.loop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LoopTest {

    static Throwable[] survivable() {
        return new Throwable[] {
            new IllegalStateException("test"),
            new AssertionError("test"),
            new NoClassDefFoundError("test"),
            new StackOverflowError("test"),
            new OutOfMemoryError("native memory, in a test")
        };
    }

    @ParameterizedTest
    @MethodSource("survivable")
    void continuesAfterAnError(Throwable fault) {
        var passes = new AtomicInteger();
        var fatalError = new CompletableFuture<Throwable>();
        try (var loop = new Loop(
                "test",
                () -> {
                    if (passes.incrementAndGet() == 1) {
                        LoopTest.<RuntimeException>raise(fault);
                    }
                },
                fatalError::complete)) {
            loop.start();
            loop.post(() -> LoopTest.<RuntimeException>raise(fault));
            loop.wake();

            await().until(() -> passes.get() > 1);
            assertThat(fatalError).isNotDone();
        }
    }

    @Test
    void endsTheProcessWhenTheJvmIsBroken() {
        var fatalError = new CompletableFuture<Throwable>();
        try (var loop = new Loop("test", () -> {}, fatalError::complete)) {
            loop.start();
            var fault = new InternalError("test");
            loop.post(() -> {
                throw fault;
            });

            await().until(fatalError::isDone);
            assertThat(fatalError).isCompletedWithValue(fault);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable fault) throws T {
        throw (T) fault;
    }
}
