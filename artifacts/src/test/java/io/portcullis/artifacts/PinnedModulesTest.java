package io.portcullis.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.Credentials;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.testing.Modules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PinnedModulesTest {

    private final Transport transport = new Transport(Sources.DEFAULT);

    @TempDir
    private Path directory;

    @AfterEach
    void stop() {
        transport.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:///dev/zero",
                "file:///etc/passwd",
                "file:///nowhere/policy.wasm",
                "file:///proc/self/environ",
                " file:///dev/zero ",
                "file:///%64ev/zero",
                "file:////dev/zero",
                "file:///tmp/../dev/zero",
            })
    void refusesFilesInClustersWithoutReadingThem(String url) {
        refuses(() -> modules().resolve(url));
        refuses(() -> modules().fetch(url, Digest.sha256(new byte[0])));
    }

    @Test
    void refusesAFileThatIsAModuleWithTheSameMessage() throws IOException {
        var file = Files.write(directory.resolve("policy.wasm"), Modules.small());

        refuses(() -> modules().resolve("file://" + file));
        refuses(() -> modules().fetch("file://" + file, Digest.sha256(Modules.small())));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "file:/dev/zero",
                "FILE:///dev/zero",
                "file://host/dev/zero",
                "/dev/zero",
                "netdoc:///etc/passwd",
                "jar:file:///x!/y"
            })
    void refusesOtherSpellingsOfFiles(String url) {
        assertThatThrownBy(() -> modules().resolve(url))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_REFERENCE));
    }

    private static void refuses(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_REFERENCE))
                .hasMessage("modules from file: URLs are refused in clusters (rule no-file-modules);"
                        + " push the module to a registry and refer to it by registry:// or https://")
                .hasNoCause();
    }

    private PinnedModules modules() {
        var client = new RegistryClient(transport, Credentials.NONE, Clock.systemUTC());
        return new PinnedModules(transport, new PolicyArtifacts(client), Optional.empty(), directory, 1 << 20);
    }
}
