package io.portcullis.testkit.fault;

import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A file system in a file whose throughput can be throttled while programs use it. Each write reaches the disk before
 * it returns, so that throttling delays the writer. Needs root and the blkio controller of cgroup version 1.
 */
public final class SlowDisk implements AutoCloseable {

    private static final Path CONTROLLER = Path.of("/sys/fs/cgroup/blkio");
    private static final long UNLIMITED = 0;

    private final Path directory;
    private final Path image;
    private final String device;

    private SlowDisk(Path directory, Path image, String device) {
        this.directory = directory;
        this.image = image;
        this.device = device;
    }

    public static boolean isPossibleHere() {
        return Files.isWritable(CONTROLLER.resolve("blkio.throttle.write_bps_device"));
    }

    /** Mounts the file system on an empty directory. At first it is as fast as the machine's disk. */
    public static SlowDisk mount(Path directory, int megabytes) {
        var image = directory.resolveSibling(directory.getFileName() + ".disk");
        ShellCommand.of("truncate", "--size", megabytes + "M", image.toString()).run();
        // No journal: the journal thread would do the writes, and would be throttled instead of the writer.
        ShellCommand.of("mkfs.ext4", "-q", "-O", "^has_journal", image.toString())
                .run();
        var device =
                ShellCommand.of("losetup", "--find", "--show", image.toString()).run();
        ShellCommand.of("mount", "-o", "sync", device, directory.toString()).run();
        ShellCommand.of("chmod", "1777", directory.toString()).run();
        return new SlowDisk(directory, image, device);
    }

    public Path directory() {
        return directory;
    }

    /** Limits reads and writes to this throughput from now on. Reads from the page cache are not limited. */
    public void slowTo(long bytesPerSecond) {
        throttle(bytesPerSecond);
    }

    /** Removes the throughput limit. */
    public void recover() {
        throttle(UNLIMITED);
    }

    private void throttle(long bytesPerSecond) {
        var number = ShellCommand.of("stat", "--format", "%Hr:%Lr", device).run();
        for (var direction : List.of("read", "write")) {
            var file = CONTROLLER.resolve("blkio.throttle." + direction + "_bps_device");
            try {
                Files.writeString(file, number + " " + bytesPerSecond);
            } catch (IOException e) {
                throw new UncheckedIOException("cannot throttle " + device + " through " + file, e);
            }
        }
    }

    @Override
    public void close() {
        recover();
        ShellCommand.of("umount", directory.toString()).run();
        ShellCommand.of("losetup", "--detach", device).run();
        ShellCommand.of("rm", image.toString()).run();
    }
}
