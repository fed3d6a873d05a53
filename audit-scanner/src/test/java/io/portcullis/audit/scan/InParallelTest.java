package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class InParallelTest {

    @Test
    void limitsConcurrency() throws Exception {
        var running = new AtomicInteger();
        var maximum = new AtomicInteger();
        var three = new CyclicBarrier(3);

        var doubled = new InParallel(3).map(IntStream.range(0, 12).boxed().toList(), number -> {
            maximum.accumulateAndGet(running.incrementAndGet(), Math::max);
            try {
                three.await(10, TimeUnit.SECONDS); // passes only if three tasks run concurrently
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
            running.decrementAndGet();
            return number * 2;
        });

        assertThat(doubled)
                .containsExactlyElementsOf(
                        IntStream.range(0, 12).map(i -> i * 2).boxed().toList());
        assertThat(maximum).hasValue(3);
    }

    @Test
    void reportsAFailureWithItsCause() {
        assertThatThrownBy(() -> new InParallel(2).map(List.of(1, 2), _ -> {
                    throw new IllegalArgumentException("bad luck");
                }))
                .hasMessageContaining("bad luck")
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }
}
