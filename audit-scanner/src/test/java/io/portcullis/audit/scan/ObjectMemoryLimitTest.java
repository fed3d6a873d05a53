package io.portcullis.audit.scan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ObjectMemoryLimitTest {

    private final ObjectMemoryLimit room = new ObjectMemoryLimit(1);

    @Test
    void manySmallOnesFitAndALargeOneWaitsForRoom() throws Exception {
        var units = 0;
        for (var i = 0; i < 512; i++) {
            units += room.acquire(1024); // a little more than one unit
        }
        assertThat(units).isEqualTo(1024);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var large = threads.submit(() -> room.acquire(512 << 10));
            Assertions.assertThatThrownBy(() -> large.get(50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);

            room.release(units);

            assertThat(large.get(30, TimeUnit.SECONDS)).isEqualTo(513);
        }
    }

    @Test
    void whatIsLargerThanTheRoomHasItForItself() throws Exception {
        var small = room.acquire(1);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var huge = threads.submit(() -> room.acquire(Long.MAX_VALUE));
            Assertions.assertThatThrownBy(() -> huge.get(50, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);

            room.release(small);

            assertThat(huge.get(30, TimeUnit.SECONDS)).isEqualTo(1024);
        }
    }
}
