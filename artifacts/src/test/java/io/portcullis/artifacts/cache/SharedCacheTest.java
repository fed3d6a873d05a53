package io.portcullis.artifacts.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.cache.CachedFile.Optimized;
import io.portcullis.artifacts.cache.CachedFile.Original;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.testing.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedCacheTest {

    private static final String SERVER = "policy-server-default";
    private static final byte[] WASM = Modules.small();
    private static final byte[] NATIVE = Modules.ofSize(4000, 2);
    private static final CacheKey KEY =
            CacheKey.of("registry://ghcr.io/kubewarden/policies/psp:v1", Digest.sha256(WASM));
    private static final Optimized OPTIMIZED = new Optimized("wasmtime-38.0.0-abc123");

    private final Path root;
    private final TestCa ca = TestCa.create("internal CA");
    private final SigningIdentity identity = identity(ca.codeSigner(SERVER));
    private final List<String> alarms = new ArrayList<>();
    private final SharedCache cache;

    SharedCacheTest(@TempDir Path root) {
        this.root = root;
        this.cache = cache(identity, List.of(ca));
    }

    @Test
    void returnsStoredFiles() {
        cache.store(KEY, new Original(), WASM);
        cache.store(KEY, OPTIMIZED, NATIVE);

        assertThat(found(cache, new Original())).isEqualTo(WASM);
        assertThat(found(cache, OPTIMIZED)).isEqualTo(NATIVE);
        assertThat(cache.find(KEY, new Optimized("other"))).isInstanceOf(CacheLookup.Absent.class);
        assertThat(directory().resolve("original.wasm.sig")).exists();
        assertThat(alarms).isEmpty();
    }

    @Test
    void doesNotReportAFailedSignatureWriteAsTampering() throws IOException {
        var signature = directory().resolve(OPTIMIZED.name() + ".sig");
        var obstacle = Files.createDirectories(signature.resolve("in-the-way"));

        assertThatThrownBy(() -> cache.store(KEY, OPTIMIZED, NATIVE)).isInstanceOf(ArtifactException.class);
        Files.deleteIfExists(obstacle);
        Files.deleteIfExists(signature);

        assertThat(cache.find(KEY, OPTIMIZED)).isInstanceOf(CacheLookup.Absent.class);
        assertThat(alarms).isEmpty();
    }

    @Test
    void rejectsAFlippedByte() throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        var bytes = NATIVE.clone();
        bytes[100] ^= 1;
        Files.write(directory().resolve(OPTIMIZED.name()), bytes);

        assertRejectedAndGone("not what was signed");
    }

    @Test
    void rejectsATruncatedFile() throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        Files.write(directory().resolve(OPTIMIZED.name()), Arrays.copyOf(NATIVE, 50));

        assertRejectedAndGone("not what was signed");
    }

    @Test
    void rejectsTheSignatureOfAnotherFile() throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        cache.store(KEY, new Original(), WASM);
        Files.copy(
                directory().resolve("original.wasm.sig"),
                directory().resolve(OPTIMIZED.name() + ".sig"),
                StandardCopyOption.REPLACE_EXISTING);

        assertRejectedAndGone("not what was signed");
    }

    /** Valid code of another engine or module must not be used here. */
    @Test
    void rejectsAFileWithItsSignatureUnderAnotherName() throws IOException {
        var other = new Optimized("older-engine");
        cache.store(KEY, other, NATIVE);
        Files.move(directory().resolve(other.name()), directory().resolve(OPTIMIZED.name()));
        Files.move(directory().resolve(other.name() + ".sig"), directory().resolve(OPTIMIZED.name() + ".sig"));

        assertRejectedAndGone("not what was signed");
    }

    @Test
    void rejectsAFileWithoutSignature() throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        Files.delete(directory().resolve(OPTIMIZED.name() + ".sig"));

        assertRejectedAndGone("no signature");
    }

    @Test
    void rejectsAMalformedSignature() throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        Files.writeString(directory().resolve(OPTIMIZED.name() + ".sig"), "hello\nworld\n");

        assertRejectedAndGone("malformed");
    }

    @Test
    void rejectsTheSignatureOfAnotherServer() {
        cache(identity(ca.codeSigner("policy-server-other")), List.of(ca)).store(KEY, OPTIMIZED, NATIVE);

        assertRejectedAndGone("signed by another server: policy-server-other");
    }

    @Test
    void rejectsTheSignatureOfAForeignAuthority() {
        var foreign = TestCa.create("internal CA");
        cache(identity(foreign.codeSigner(SERVER)), List.of(foreign)).store(KEY, OPTIMIZED, NATIVE);

        assertRejectedAndGone("not by our authority");
    }

    @Test
    void rejectsAnExpiredCertificate() {
        var expired = ca.issue(
                SERVER,
                TestCa.newKeys(),
                Instant.now().minus(Duration.ofDays(2)),
                Instant.now().minus(Duration.ofDays(1)),
                builder -> TestCa.add(
                        builder,
                        Extension.extendedKeyUsage,
                        false,
                        new ExtendedKeyUsage(KeyPurposeId.id_kp_codeSigning)));
        cache(identity(expired), List.of(ca)).store(KEY, OPTIMIZED, NATIVE);

        assertRejectedAndGone("expired");
    }

    /** The serving certificate has the same name and the same CA. */
    @Test
    void rejectsACertificateThatIsNotForSigningCode() {
        var serving = ca.issue(
                SERVER,
                builder -> TestCa.add(
                        builder,
                        Extension.extendedKeyUsage,
                        false,
                        new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth)));
        cache(identity(serving), List.of(ca)).store(KEY, OPTIMIZED, NATIVE);

        assertRejectedAndGone("not for signing code");
    }

    @Test
    void acceptsThePreviousAuthorityDuringARotation() {
        var next = TestCa.create("internal CA 2");
        cache.store(KEY, OPTIMIZED, NATIVE);

        assertThat(found(cache(identity(next.codeSigner(SERVER)), List.of(next, ca)), OPTIMIZED))
                .isEqualTo(NATIVE);
        assertThat(cache(identity, List.of(next)).find(KEY, OPTIMIZED)).isInstanceOf(CacheLookup.Rejected.class);
    }

    @Test
    void doesNotFollowALinkInsteadOfAFile() throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        var file = directory().resolve(OPTIMIZED.name());
        var elsewhere = root.resolveSibling(root.getFileName() + "-elsewhere");
        Files.move(file, elsewhere);
        Files.createSymbolicLink(file, elsewhere);

        assertThat(cache.find(KEY, OPTIMIZED)).isInstanceOf(CacheLookup.Rejected.class);
        assertThat(file).doesNotExist();
        assertThat(elsewhere).exists();
        Files.delete(elsewhere);
    }

    @Test
    void neitherReadsNorWritesThroughALinkedDirectory(@TempDir Path elsewhere) throws IOException {
        cache.store(KEY, OPTIMIZED, NATIVE);
        var moved = elsewhere.resolve("moved");
        Files.move(directory(), moved);
        Files.createSymbolicLink(directory(), moved);

        assertThat(cache.find(KEY, OPTIMIZED)).isInstanceOf(CacheLookup.Rejected.class);
        assertThatThrownBy(() -> cache.store(KEY, OPTIMIZED, NATIVE))
                .isInstanceOf(ArtifactException.class)
                .hasMessageContaining("link");
        assertThat(moved.resolve(OPTIMIZED.name())).hasBinaryContent(NATIVE);
    }

    @Test
    void namesFilesByTheirEngineInDirectoriesByDigest() throws IOException {
        var other = new Optimized("wasmtime-39.0.0-def456");
        cache.store(KEY, new Original(), WASM);
        cache.store(KEY, OPTIMIZED, NATIVE);
        cache.store(KEY, other, WASM);

        var directory = root.resolve("ghcr.io/kubewarden/policies/psp")
                .resolve(KEY.digest().replace("sha256:", ""));
        try (var files = Files.list(directory)) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.startsWith(".")))
                    .contains(
                            "original.wasm",
                            "original.wasm.sig",
                            "optimized-wasmtime-38.0.0-abc123.bin",
                            "optimized-wasmtime-38.0.0-abc123.bin.sig",
                            "optimized-wasmtime-39.0.0-def456.bin",
                            "optimized-wasmtime-39.0.0-def456.bin.sig");
        }
        assertThat(found(cache, OPTIMIZED)).isEqualTo(NATIVE);
        assertThat(found(cache, other)).isEqualTo(WASM);
    }

    @Test
    void refusesAFingerprintThatIsNotAFileName() {
        assertThatThrownBy(() -> new Optimized("../../etc/passwd")).isInstanceOf(ArtifactException.class);
    }

    @Test
    void readersSucceedDuringConcurrentWrites() throws Exception {
        cache.store(KEY, OPTIMIZED, NATIVE);
        var tasks = new ArrayList<Callable<Boolean>>();
        for (int task = 0; task < 60; task++) {
            var content = Modules.ofSize(4000, task % 7);
            tasks.add(
                    task % 2 == 0
                            ? () -> {
                                cache.store(KEY, OPTIMIZED, content);
                                return true;
                            }
                            : () -> cache.find(KEY, OPTIMIZED) instanceof CacheLookup.Found);
        }

        try (var executor = Executors.newFixedThreadPool(4)) {
            for (var result : executor.invokeAll(tasks)) {
                assertThat(result.get()).isTrue();
            }
        }

        assertThat(alarms).isEmpty();
        try (var files = Files.list(directory())) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".part"));
        }
    }

    @Test
    void collectsUnusedFiles() {
        var gone = CacheKey.of("registry://ghcr.io/kubewarden/policies/old:v1", Digest.sha256(NATIVE));
        var oldEngine = new Optimized("old-engine");
        cache.store(KEY, new Original(), WASM);
        cache.store(KEY, OPTIMIZED, NATIVE);
        cache.store(KEY, oldEngine, NATIVE);
        cache.store(gone, new Original(), NATIVE);
        var retained = Set.of(KEY.digest());
        var engines = Set.of(OPTIMIZED.fingerprint());

        assertThat(cache.collectGarbage(retained, engines, Duration.ofHours(24)))
                .isZero();
        assertThat(cache.collectGarbage(retained, engines, Duration.ofSeconds(-5)))
                .isEqualTo(4);

        assertThat(found(cache, new Original())).isEqualTo(WASM);
        assertThat(found(cache, OPTIMIZED)).isEqualTo(NATIVE);
        assertThat(cache.find(KEY, oldEngine)).isInstanceOf(CacheLookup.Absent.class);
        assertThat(root.resolve("ghcr.io/kubewarden/policies/old")).doesNotExist();
    }

    @Test
    void readsKeysAsTheControllerWritesThem() throws Exception {
        var signer = ca.codeSigner(SERVER);
        var pkcs8 = PrivateKeyInfo.getInstance(signer.keys().getPrivate().getEncoded());
        var sec1 = pkcs8.parsePrivateKey().toASN1Primitive().getEncoded();

        var parsed = SigningIdentity.parse(signer.certificatePem(), TestCa.pem("EC PRIVATE KEY", sec1));
        cache(parsed, List.of(ca)).store(KEY, OPTIMIZED, NATIVE);

        assertThat(found(cache, OPTIMIZED)).isEqualTo(NATIVE);
        assertThat(parsed.toString()).doesNotContain("PRIVATE");
    }

    private void assertRejectedAndGone(String why) {
        assertThat(cache.find(KEY, OPTIMIZED))
                .isInstanceOfSatisfying(
                        CacheLookup.Rejected.class,
                        rejected -> assertThat(rejected.why()).contains(why));
        assertThat(alarms).singleElement().asString().contains(why);
        assertThat(cache.find(KEY, OPTIMIZED)).isInstanceOf(CacheLookup.Absent.class);
        cache.store(KEY, OPTIMIZED, NATIVE);
        assertThat(found(cache, OPTIMIZED)).isEqualTo(NATIVE);
    }

    private static byte[] found(SharedCache cache, CachedFile file) {
        return cache.find(KEY, file) instanceof CacheLookup.Found(var bytes) ? bytes : new byte[0];
    }

    private Path directory() {
        return KEY.directory(root);
    }

    private SharedCache cache(SigningIdentity signer, List<TestCa> authorities) {
        var trust = new CacheTrust(authorities.stream().map(TestCa::certificate).toList(), SERVER);
        return new SharedCache(
                root,
                () -> signer,
                () -> trust,
                (file, why) -> alarms.add(file + ": " + why),
                Clock.fixed(Instant.now(), ZoneOffset.UTC));
    }

    private static SigningIdentity identity(TestCa.Identity identity) {
        return new SigningIdentity(identity.certificate(), identity.keys().getPrivate());
    }
}
