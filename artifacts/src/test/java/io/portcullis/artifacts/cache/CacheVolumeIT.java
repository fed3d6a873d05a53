package io.portcullis.artifacts.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.CertificateAuthorities;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.testing.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests on real volumes: a full one, a read-only one, and one that several processes write. */
class CacheVolumeIT {

    private static final String SERVER = "policy-server-default";
    private static final CachedFile FILE = new CachedFile.Optimized("engine");
    private static final CacheKey KEY = CacheKey.of("ghcr.io/a/b:v1", Digest.sha256(Modules.small()));

    @TempDir
    private Path directory;

    private final TestCa ca = TestCa.create("internal CA");
    private final TestCa.Identity signer = ca.codeSigner(SERVER);
    private final List<String> alarms = new ArrayList<>();
    private Path volume;

    @BeforeEach
    void mountPoint() throws IOException {
        volume = Files.createDirectories(directory.resolve("volume"));
    }

    @AfterEach
    void unmount() throws Exception {
        run("umount", volume.toString());
    }

    @Test
    void leavesNoPartialFileOnAFullVolume() throws Exception {
        mount("size=64k");
        var cache = cache(volume);
        cache.store(KEY, FILE, Modules.small());

        assertThatThrownBy(() -> cache.store(KEY, FILE, Modules.ofSize(200_000, 1)))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LOCAL_IO))
                .hasMessageContaining("No space left");

        assertThat(cache.find(KEY, FILE)).isInstanceOf(CacheLookup.Found.class);
        try (var files = Files.list(KEY.directory(volume))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".part"));
        }
    }

    @Test
    void readsAReadOnlyVolumeAndReportsFailedWrites() throws Exception {
        mount("size=1m");
        var cache = cache(volume);
        var tampered = new CachedFile.Optimized("tampered");
        cache.store(KEY, FILE, Modules.small());
        cache.store(KEY, tampered, Modules.small());
        Files.write(KEY.directory(volume).resolve(tampered.name()), new byte[10]);
        run("mount", "-o", "remount,ro", volume.toString());

        assertThat(cache.find(KEY, FILE)).isInstanceOf(CacheLookup.Found.class);
        assertThat(cache.find(KEY, tampered)).isInstanceOf(CacheLookup.Rejected.class);
        assertThat(cache.find(KEY, tampered)).isInstanceOf(CacheLookup.Rejected.class);
        assertThatThrownBy(() -> cache.store(KEY, FILE, Modules.small()))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.LOCAL_IO));
    }

    @Test
    void staysConsistentWhileProcessesWriteAndRead() throws Exception {
        TestCa.write(directory.resolve("ca.pem"), ca.pem());
        TestCa.write(directory.resolve("tls.crt"), signer.certificatePem());
        TestCa.write(directory.resolve("tls.key"), signer.keyPem());
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var processes = new ArrayList<Process>();
        for (int seed = 1; seed <= 3; seed++) {
            processes.add(new ProcessBuilder(
                            java,
                            "-cp",
                            System.getProperty("surefire.real.class.path", System.getProperty("java.class.path")),
                            CacheWriter.class.getName(),
                            directory.toString(),
                            Integer.toString(seed))
                    .redirectErrorStream(true)
                    .redirectOutput(directory.resolve("writer-" + seed + ".log").toFile())
                    .start());
        }

        for (int seed = 1; seed <= 3; seed++) {
            var log = directory.resolve("writer-" + seed + ".log");
            assertThat(processes.get(seed - 1).waitFor()).as(() -> read(log)).isZero();
        }
        assertThat(cache(volume).find(KEY, FILE)).isInstanceOf(CacheLookup.Found.class);
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private SharedCache cache(Path root) {
        var identity = new SigningIdentity(signer.certificate(), signer.keys().getPrivate());
        var trust = new CacheTrust(List.of(ca.certificate()), SERVER);
        return new SharedCache(
                root, () -> identity, () -> trust, (file, why) -> alarms.add(file + why), Clock.systemUTC());
    }

    private void mount(String options) throws Exception {
        var mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", volume.toString()) == 0;
        if (!mounted) {
            System.err.println("SKIPPED: this test mounts a small tmpfs and may not");
        }
        assumeTrue(mounted, "may not mount");
    }

    private static int run(String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    /** Simulates a replica: writes and reads the same file a hundred times. Fails if a file does not verify. */
    static final class CacheWriter {

        private CacheWriter() {}

        public static void main(String[] arguments) throws IOException {
            var directory = Path.of(arguments[0]);
            var identity = SigningIdentity.parse(
                    Files.readString(directory.resolve("tls.crt")), Files.readString(directory.resolve("tls.key")));
            var authorities = CertificateAuthorities.parse(Files.readAllBytes(directory.resolve("ca.pem")));
            var trust = new CacheTrust(authorities, SERVER);
            var cache = new SharedCache(
                    directory.resolve("volume"), () -> identity, () -> trust, (_, _) -> {}, Clock.systemUTC());
            for (int round = 0; round < 100; round++) {
                cache.store(KEY, FILE, Modules.ofSize(50_000, Long.parseLong(arguments[1])));
                if (!(cache.find(KEY, FILE) instanceof CacheLookup.Found)) {
                    throw new IllegalStateException("round " + round + ": " + cache.find(KEY, FILE));
                }
            }
        }
    }
}
