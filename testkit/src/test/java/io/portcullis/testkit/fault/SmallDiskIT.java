package io.portcullis.testkit.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallDiskIT {

    @TempDir
    Path directory;

    @BeforeEach
    void requireRoot() {
        assumeTrue("root".equals(System.getProperty("user.name")), "mounting a file system needs root");
    }

    @Test
    void refusesWritesWhenFull() throws IOException {
        try (var disk = SmallDisk.mount(directory, 64)) {
            var file = disk.directory().resolve("policy.wasm");
            disk.fill();
            assertThatThrownBy(() -> Files.write(file, new byte[8192]))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("No space left");

            disk.relieve();
            assertThat(Files.write(file, new byte[8192])).hasSize(8192);
        }
    }
}
