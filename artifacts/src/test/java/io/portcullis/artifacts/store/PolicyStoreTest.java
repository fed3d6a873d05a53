package io.portcullis.artifacts.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.testing.Modules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyStoreTest {

    private static final PolicyUri TAGGED =
            PolicyUri.parse("registry://ghcr.io/kubewarden/tests/pod-privileged:v0.2.5");
    private static final PolicyUri WEB =
            PolicyUri.parse("https://github.com/o/r/releases/download/v0.1.6/policy.wasm?x=1");

    @TempDir
    private Path directory;

    @Test
    void usesTheLayoutOfKwctl() {
        var root = directory.resolve("store");
        var store = new PolicyStore(root, StoreLayout.VERBATIM);

        assertThat(store.place(TAGGED))
                .isEqualTo(root.resolve("registry/ghcr.io/kubewarden/tests/pod-privileged:v0.2.5"));
        assertThat(store.place(PolicyUri.parse("localhost:5000/x/policy.wasm")))
                .isEqualTo(root.resolve("registry/localhost:5000/x/policy.wasm:latest"));
        assertThat(store.place(WEB))
                .isEqualTo(root.resolve("https/github.com/o/r/releases/download/v0.1.6/policy.wasm"));
        assertThat(new PolicyStore(root, StoreLayout.ENCODED).place(PolicyUri.parse("registry://ghcr.io/a:v1")))
                .isEqualTo(root.resolve("registry/Z2hjci5pbw/YTp2MQ"));
    }

    @ParameterizedTest
    @EnumSource
    void listsAddedPolicies(StoreLayout layout) throws IOException {
        var store = new PolicyStore(directory.resolve("store"), layout);
        assertThat(store.list()).isEmpty();
        add(store, WEB, Modules.small());
        add(store, TAGGED, Modules.small());
        Files.createDirectories(directory.resolve("store/unknown"));
        Files.write(directory.resolve("store/unknown/file"), Modules.small());

        assertThat(store.list())
                .extracting(policy -> policy.uri().toString())
                .containsExactly("https://github.com/o/r/releases/download/v0.1.6/policy.wasm", TAGGED.toString());
    }

    @Test
    void findsByPrefixOfTheDigest() {
        var store = store();
        add(store, TAGGED, Modules.ofSize(100, 1));
        add(store, PolicyUri.parse("ghcr.io/same:v1"), Modules.ofSize(100, 1));
        add(store, WEB, Modules.ofSize(100, 2));
        var hex = Digest.hex(Digest.sha256(Modules.ofSize(100, 1)));

        assertThat(store.findByPrefix(hex.substring(0, 12))).isPresent();
        assertThat(store.findByPrefix("zz")).isEmpty();
        assertThat(store.findByPrefix("0".repeat(64))).isEmpty();
    }

    @Test
    void reportsAnAmbiguousPrefix() {
        var store = store();
        for (int seed = 0; seed < 17; seed++) {
            add(store, PolicyUri.parse("ghcr.io/p:v" + seed), Modules.ofSize(100, seed));
        }
        var hexes = store.list().stream()
                .map(policy -> Digest.hex(policy.digest()).substring(0, 1))
                .toList();
        var shared = hexes.stream()
                .filter(hex -> hexes.indexOf(hex) != hexes.lastIndexOf(hex))
                .findFirst();

        assertThatThrownBy(() -> store.findByPrefix(shared.orElseThrow()))
                .hasMessageContaining("multiple policies found with the same prefix");
    }

    @Test
    void removesThePolicyAndTheDirectoriesItLeavesEmpty() {
        var store = store();
        add(store, TAGGED, Modules.small());
        add(store, WEB, Modules.small());

        store.remove(TAGGED);

        assertThat(directory.resolve("store/registry")).doesNotExist();
        assertThat(store.find(WEB)).isPresent();
        assertThatThrownBy(() -> store.remove(TAGGED)).hasMessageContaining("Cannot find policy with uri: ");
    }

    @Test
    void leavesNoFileAfterAFailedDownload() throws IOException {
        var store = store();

        assertThatThrownBy(() -> store.add(TAGGED, file -> {
                    Files.write(file, new byte[10]);
                    throw new ArtifactException(Reason.UNAVAILABLE, "cable cut");
                }))
                .hasMessage("cable cut");

        assertThat(store.find(TAGGED)).isEmpty();
        try (var files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void supportsConcurrentWritersOfOnePolicy() throws Exception {
        var store = store();
        var tasks = new ArrayList<Callable<byte[]>>();
        for (int task = 0; task < 40; task++) {
            var content = Modules.ofSize(20_000, task % 3);
            tasks.add(() -> add(store, TAGGED, content).bytes());
        }

        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var result : executor.invokeAll(tasks)) {
                assertThat(result.get()).hasSize(20_000);
            }
        }
    }

    @Test
    void exportsAndImportsAnArchive() {
        var store = store();
        var deep = PolicyUri.parse("ghcr.io/" + "long/".repeat(30) + "name:v1");
        add(store, TAGGED, Modules.ofSize(1000, 1));
        add(store, deep, Modules.ofSize(2048, 2));
        var archive = directory.resolve("policies.tar.gz");

        new PolicyArchive(store).save(List.of(TAGGED, deep), archive);
        store.remove(TAGGED);
        store.remove(deep);
        var loaded = new PolicyArchive(store).load(archive);

        assertThat(loaded).containsExactly(TAGGED, deep);
        assertThat(store.find(TAGGED).orElseThrow().bytes()).isEqualTo(Modules.ofSize(1000, 1));
        assertThat(store.find(deep).orElseThrow().bytes()).isEqualTo(Modules.ofSize(2048, 2));
    }

    @Test
    void importsArchivesOfOtherOperatingSystems() {
        var windows = new PolicyStore(directory.resolve("windows"), StoreLayout.ENCODED);
        add(windows, TAGGED, Modules.small());
        var archive = directory.resolve("policies.tar.gz");

        new PolicyArchive(windows).save(List.of(TAGGED), archive);
        new PolicyArchive(store()).load(archive);

        assertThat(store().find(TAGGED)).isPresent();
    }

    @Test
    void keepsTheOldArchiveWhenAPolicyIsMissing() throws IOException {
        var archive = Files.writeString(directory.resolve("policies.tar.gz"), "old");

        assertThatThrownBy(() -> new PolicyArchive(store()).save(List.of(TAGGED), archive))
                .hasMessageContaining("cannot find policy");

        assertThat(archive).hasContent("old");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../../etc/passwd",
                "/etc/passwd",
                "registry/ghcr.io/../../../x:v1",
                "registry/ghcr.io/a/..:v1",
                "file/tmp/x.wasm",
                ".receipts/registry/ghcr.io/x:v1"
            })
    void refusesArchivesThatLeaveTheStore(String name) throws IOException {
        var archive = archive(List.of("registry/ghcr.io/good:v1", name), Modules.small());

        assertThatThrownBy(() -> new PolicyArchive(store()).load(archive))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_ARTIFACT))
                .hasMessageContaining("cannot unpack file");

        assertThat(store().list()).isEmpty();
    }

    @Test
    void refusesArchivesWithoutPolicies() throws IOException {
        var notWasm = archive(List.of("registry/ghcr.io/good:v1"), new byte[] {1, 2, 3, 4, 5});
        var notZip = Files.writeString(directory.resolve("x.tar.gz"), "hello");

        assertThatThrownBy(() -> new PolicyArchive(store()).load(notWasm)).hasMessageContaining("invalid wasm file");
        assertThatThrownBy(() -> new PolicyArchive(store()).load(notZip)).hasMessageContaining("cannot unpack file");
        assertThatThrownBy(() -> new PolicyArchive(store()).load(directory.resolve("missing")))
                .hasMessageContaining("cannot open file");
    }

    private Path archive(List<String> names, byte[] content) throws IOException {
        var archive = directory.resolve("hostile.tar.gz");
        try (var file = Files.newOutputStream(archive);
                var zipped = new GZIPOutputStream(file);
                var tar = new Tar.Writer(zipped)) {
            for (var name : names) {
                tar.add(name, content);
            }
        }
        return archive;
    }

    private PolicyStore store() {
        return new PolicyStore(directory.resolve("store"), StoreLayout.VERBATIM);
    }

    private static StoredPolicy add(PolicyStore store, PolicyUri uri, byte[] content) {
        return store.add(uri, file -> {
            Files.write(file, content);
            return new Receipt(Digest.sha256(content), uri.toString());
        });
    }
}
