package io.portcullis.testkit.fault;

import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A file system of a few kilobytes that a test can mount and fill. Needs root. */
public final class SmallDisk implements AutoCloseable {

    private static final String BALLAST = "ballast";

    private final Path directory;

    private SmallDisk(Path directory) {
        this.directory = directory;
    }

    /** Mounts the file system on an empty directory. */
    public static SmallDisk mount(Path directory, int kilobytes) {
        ShellCommand.of(
                        "mount",
                        "-t",
                        "tmpfs",
                        "-o",
                        "size=" + kilobytes + "k,mode=1777",
                        "small-disk",
                        directory.toString())
                .run();
        return new SmallDisk(directory);
    }

    public Path directory() {
        return directory;
    }

    /** Uses all free space. The next write fails with "no space left on device". */
    public void fill() {
        var block = new byte[4096];
        try (OutputStream ballast = Files.newOutputStream(directory.resolve(BALLAST))) {
            while (directory.toFile().getUsableSpace() > 0) {
                ballast.write(block);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot fill " + directory, e);
        }
    }

    /** Frees the space that {@link #fill()} used. */
    public void relieve() {
        try {
            Files.deleteIfExists(directory.resolve(BALLAST));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot empty " + directory, e);
        }
    }

    @Override
    public void close() {
        // A lazy unmount, because a program under test may still have a file open.
        ShellCommand.of("umount", "--lazy", directory.toString()).run();
    }
}
