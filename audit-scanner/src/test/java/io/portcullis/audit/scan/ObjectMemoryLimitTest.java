package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ObjectMemoryLimitTest {

    private final ObjectMemoryLimit memory = new ObjectMemoryLimit(1);

    @Test
    void blocksALargeObjectUntilMemoryIsReleased() throws Exception {
        var units = 0;
        for (var i = 0; i < 512; i++) {
            units += memory.acquire(1024); // slightly more than one unit
        }
        assertThat(units).isEqualTo(1024);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var large = threads.submit(() -> memory.acquire(512 << 10));
            Assertions.assertThatThrownBy(() -> large.get(50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);

            memory.release(units);

            assertThat(large.get(30, TimeUnit.SECONDS)).isEqualTo(513);
        }
    }

    @Test
    void admitsAnOversizedObjectAlone() throws Exception {
        var small = memory.acquire(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var huge = threads.submit(() -> memory.acquire(Long.MAX_VALUE));
            Assertions.assertThatThrownBy(() -> huge.get(50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);

            memory.release(small);

            assertThat(huge.get(30, TimeUnit.SECONDS)).isEqualTo(1024);
        }
    }
}
