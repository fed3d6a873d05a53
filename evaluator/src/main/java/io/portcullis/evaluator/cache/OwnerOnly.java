package io.portcullis.evaluator.cache;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Creates files and directories that only their owner may access, as far as the file system supports it. */
final class OwnerOnly {

    private OwnerOnly() {}

    static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, attributes(directory, "rwx------"));
    }

    static Path createTemporary(Path directory) throws IOException {
        return Files.createTempFile(directory, "new", ".tmp", attributes(directory, "rw-------"));
    }

    static boolean appliesTo(Path file) throws IOException {
        var view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
        return view == null
                || PosixFilePermissions.fromString("rw-------")
                        .containsAll(view.readAttributes().permissions());
    }

    private static FileAttribute<?>[] attributes(Path path, String permissions) {
        return supportsPermissions(path)
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(Set.copyOf(PosixFilePermissions.fromString(permissions)))
                }
                : new FileAttribute<?>[0];
    }

    private static boolean supportsPermissions(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix");
    }
}
