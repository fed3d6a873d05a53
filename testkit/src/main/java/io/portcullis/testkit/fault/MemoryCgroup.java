package io.portcullis.testkit.fault;

import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A control group with a memory limit, as the kubelet makes one for a container. Programs that start inside it see the
 * limit, and the kernel enforces it. Works with both versions of the cgroup hierarchy. Needs root.
 */
public final class MemoryCgroup implements AutoCloseable {

    private static final Path V1 = Path.of("/sys/fs/cgroup/memory");
    private static final Path V2 = Path.of("/sys/fs/cgroup");

    private final Path directory;
    private final boolean isV1;

    private MemoryCgroup(Path directory, boolean isV1) {
        this.directory = directory;
        this.isV1 = isV1;
    }

    /** Creates the group. */
    public static MemoryCgroup create(String name, long limitBytes) {
        boolean isV1 = Files.isDirectory(V1);
        var group = new MemoryCgroup(
                (isV1 ? V1 : V2)
                        .resolve("portcullis-" + name + "-"
                                + ProcessHandle.current().pid()),
                isV1);
        try {
            if (!isV1) {
                Files.writeString(V2.resolve("cgroup.subtree_control"), "+memory");
            }
            Files.createDirectories(group.directory);
            Files.writeString(
                    group.directory.resolve(isV1 ? "memory.limit_in_bytes" : "memory.max"), Long.toString(limitBytes));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot create the control group " + group.directory, e);
        }
        return group;
    }

    /** Returns the command that runs a program inside the group, with a limit on open files. */
    public List<String> command(int openFiles, List<String> words) {
        var enter =
                "echo $$ > '" + directory.resolve("cgroup.procs") + "' && ulimit -n " + openFiles + " && exec \"$@\"";
        return Stream.concat(Stream.of("bash", "-c", enter, "limited"), words.stream())
                .toList();
    }

    /** Returns the most memory that the group has used, in bytes. */
    public long peakBytes() {
        return read(isV1 ? "memory.max_usage_in_bytes" : "memory.peak");
    }

    /** Returns the processes of the group. */
    public List<Long> processes() {
        try (var lines = Files.lines(directory.resolve("cgroup.procs"))) {
            return lines.map(Long::parseLong).toList();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read the processes of " + directory, e);
        }
    }

    private long read(String file) {
        try {
            return Long.parseLong(Files.readString(directory.resolve(file)).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + directory.resolve(file), e);
        }
    }

    /** Removes the group; its processes must have ended. */
    @Override
    public void close() {
        ShellCommand.of("rmdir", directory.toString()).run();
    }
}
