package io.portcullis.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {

    private static final String MACHINE = "MemTotal:       16000000 kB\nMemFree: 1 kB\n";

    @TempDir
    Path root;

    private void write(String file, String text) throws IOException {
        var path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void machine(String groups) throws IOException {
        write("proc/meminfo", MACHINE);
        write("proc/self/cgroup", groups);
    }

    private long limit() {
        return new MemoryLimit(root).find().orElseThrow();
    }

    @Test
    void readsVersion2InAContainer() throws IOException {
        machine("0::/\n");
        write("sys/fs/cgroup/memory.max", "536870912\n");
        assertThat(limit()).isEqualTo(536870912);
    }

    @Test
    void usesTheSmallestLimitOfAllParentGroups() throws IOException {
        machine("0::/pods/one/container\n");
        write("sys/fs/cgroup/pods/one/container/memory.max", "max\n");
        write("sys/fs/cgroup/pods/one/memory.max", "400000000\n");
        write("sys/fs/cgroup/pods/memory.max", "900000000\n");
        assertThat(limit()).isEqualTo(400_000_000);
    }

    @Test
    void readsVersion1() throws IOException {
        machine("5:cpu,cpuacct:/\n4:memory:/pods/one\n0::/\n");
        write("sys/fs/cgroup/memory/pods/one/memory.limit_in_bytes", "300000000\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        assertThat(limit()).isEqualTo(300_000_000);
    }

    @Test
    void readsTheMountWhenTheGroupIsNotVisible() throws IOException {
        machine("4:memory:/kubepods/of/the/host\n");
        write("sys/fs/cgroup/memory/memory.limit_in_bytes", "300000000\n");
        assertThat(limit()).isEqualTo(300_000_000);
    }

    @Test
    void usesTheMemoryOfTheMachineWithoutALimit() throws IOException {
        machine("0::/\n");
        write("sys/fs/cgroup/memory.max", "max\n");
        assertThat(limit()).isEqualTo(16_000_000L * 1024);
        machine("0::/../..\n4:memory:relative\nnonsense\n");
        assertThat(limit()).isEqualTo(16_000_000L * 1024);
    }

    @Test
    void returnsEmptyWithoutAnySource() {
        assertThat(new MemoryLimit(root).find()).isEmpty();
    }
}
