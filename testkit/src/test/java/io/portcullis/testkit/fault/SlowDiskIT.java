package io.portcullis.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SlowDiskIT {

    @TempDir
    Path directory;

    @Test
    void limitsWritesToTheGivenThroughput() throws IOException {
        assumeTrue(SlowDisk.isPossibleHere(), "needs root and the blkio controller of cgroup version 1");
        var mountPoint = Files.createDirectory(directory.resolve("slow"));
        try (var disk = SlowDisk.mount(mountPoint, 16)) {
            disk.slowTo(512 << 10);

            var start = System.nanoTime();
            Files.write(disk.directory().resolve("policy.wasm"), new byte[1 << 20]);

            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1500));
        }
    }
}
