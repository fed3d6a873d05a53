package io.portcullis.evaluator.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalModuleCacheTest {

    private static final byte[] COMPILED = {1, 2, 3};

    @TempDir
    Path directory;

    @Test
    void findsModulesThatAnotherProcessOfTheUserStored() {
        cache().store("d1", "f1", COMPILED);

        assertThat(cache().find("d1", "f1")).hasValue(COMPILED);
    }

    @Test
    void keepsDigestsAndFingerprintsApart() {
        cache().store("d1", "f1", COMPILED);

        assertThat(cache().find("d1", "f2")).isEmpty();
        assertThat(cache().find("d2", "f1")).isEmpty();
    }

    @Test
    void neverReturnsAFileThatWasTamperedWith() throws IOException {
        cache().store("d1", "f1", COMPILED);
        var bytes = Files.readAllBytes(file("d1-f1.bin"));
        bytes[bytes.length - 1] ^= 1;
        Files.write(file("d1-f1.bin"), bytes);

        assertThat(cache().find("d1", "f1")).isEmpty();
        assertThat(file("d1-f1.bin")).doesNotExist();
    }

    @Test
    void neverReturnsAFileThatWasRenamed() throws IOException {
        cache().store("d1", "f1", COMPILED);
        Files.move(file("d1-f1.bin"), file("d2-f1.bin"));

        assertThat(cache().find("d2", "f1")).isEmpty();
    }

    @Test
    void removesPartialFilesWhenStoringFails() throws IOException {
        var cache = cache();
        Files.createDirectories(file("d1-f1.bin").resolve("in-the-way"));
        var before = files();

        cache.store("d1", "f1", COMPILED);

        assertThat(files()).isEqualTo(before);
    }

    private Set<Path> files() throws IOException {
        try (var files = Files.list(file(""))) {
            return files.collect(Collectors.toSet());
        }
    }

    @Test
    void ignoresTruncatedFiles() throws IOException {
        cache().store("d1", "f1", COMPILED);
        Files.write(file("d1-f1.bin"), new byte[] {1});

        assertThat(cache().find("d1", "f1")).isEmpty();
    }

    @Test
    void ignoresAllFilesWhenOtherUsersCouldReadTheSecret() throws IOException {
        cache().store("d1", "f1", COMPILED);
        Files.setPosixFilePermissions(file("secret"), PosixFilePermissions.fromString("rw-r--r--"));

        assertThat(cache().find("d1", "f1")).isEmpty();
        assertThat(Files.getPosixFilePermissions(file("secret")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void storesNothingInAReadOnlyDirectory() throws IOException {
        var occupied = Files.createFile(directory.resolve("occupied"));

        var cache = LocalModuleCache.in(occupied);
        cache.store("d1", "f1", COMPILED);

        assertThat(cache.find("d1", "f1")).isEmpty();
    }

    private CompiledModuleCache cache() {
        return LocalModuleCache.in(directory.resolve("cache"));
    }

    private Path file(String name) {
        return directory.resolve("cache").resolve(name);
    }
}
