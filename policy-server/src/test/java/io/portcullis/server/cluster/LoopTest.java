package io.portcullis.server.cluster;

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
    void goesOnAfter(Throwable fault) {
        var looks = new AtomicInteger();
        var end = new CompletableFuture<Throwable>();
        try (var loop = new Loop(
                "test",
                () -> {
                    if (looks.incrementAndGet() == 1) {
                        LoopTest.<RuntimeException>raise(fault);
                    }
                },
                end::complete)) {
            loop.start();
            loop.post(() -> LoopTest.<RuntimeException>raise(fault));
            loop.wake();

            await().until(() -> looks.get() > 1);
            assertThat(end).isNotDone();
        }
    }

    @Test
    void endsTheProcessWhenTheVirtualMachineItselfIsBroken() {
        var end = new CompletableFuture<Throwable>();
        try (var loop = new Loop("test", () -> {}, end::complete)) {
            loop.start();
            var fault = new InternalError("test");
            loop.post(() -> {
                throw fault;
            });

            await().until(end::isDone);
            assertThat(end).isCompletedWithValue(fault);
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void raise(Throwable fault) throws T {
        throw (T) fault;
    }
}
