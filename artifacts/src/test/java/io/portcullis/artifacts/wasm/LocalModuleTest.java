package io.portcullis.artifacts.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class LocalModuleTest {

    private static final int LIMIT = 1000;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(ints = {0, 1, LIMIT})
    void readsRegularFilesUpToTheLimit(int size) throws IOException {
        var file = Files.write(directory.resolve("p.wasm"), new byte[size]);

        assertThat(LocalModule.read(file, LIMIT)).hasSize(size);
    }

    @Test
    void followsSymbolicLinksToRegularFiles() throws IOException {
        Files.write(directory.resolve("p.wasm"), new byte[7]);
        var link = Files.createSymbolicLink(directory.resolve("link.wasm"), Path.of("p.wasm"));

        assertThat(LocalModule.read(link, LIMIT)).hasSize(7);
    }

    @Test
    void refusesFilesAboveTheLimit() throws IOException {
        var file = Files.write(directory.resolve("p.wasm"), new byte[LIMIT + 1]);

        assertThatThrownBy(() -> LocalModule.read(file, LIMIT))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TOO_LARGE))
                .hasMessageContaining("1000 bytes")
                .hasMessageContaining("--max-module-bytes");
    }

    /** Filters by existence, because kernels differ. */
    static Stream<Path> devicesDirectoriesAndFilesOfTheKernel() {
        return Stream.of(
                        "/dev/zero",
                        "/dev/null",
                        "/dev/random",
                        "/proc/self/mem",
                        "/proc/kcore",
                        "/proc/self/environ",
                        "/proc",
                        "/")
                .map(Path::of)
                .filter(Files::exists);
    }

    @ParameterizedTest
    @MethodSource("devicesDirectoriesAndFilesOfTheKernel")
    void refusesDevicesDirectoriesAndFilesOfTheKernel(Path file) {
        refuses(file);
    }

    @Test
    void refusesSymbolicLinksToDevices() throws IOException {
        refuses(Files.createSymbolicLink(directory.resolve("p.wasm"), Path.of("/dev/zero")));
    }

    @Test
    void refusesPipesWithoutWaitingForAWriter() throws Exception {
        var pipe = directory.resolve("p.wasm");
        assumeThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor())
                .isZero();

        refuses(pipe);
    }

    @Test
    void refusesSockets() throws IOException {
        var socket = directory.resolve("s");
        try (var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(socket));

            refuses(socket);
        }
    }

    @Test
    void reportsAMissingFile() {
        assertThatThrownBy(() -> LocalModule.read(directory.resolve("none"), LIMIT))
                .isInstanceOf(NoSuchFileException.class);
    }

    private static void refuses(Path file) {
        assertThatThrownBy(() -> LocalModule.read(file, LIMIT))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_REFERENCE))
                .hasMessageContaining("not a regular file");
    }
}
