package io.portcullis.artifacts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.Blob;
import io.portcullis.artifacts.oci.MediaTypes;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.Credentials;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.source.Proxies;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.testing.Modules;
import io.portcullis.artifacts.testing.RegistryProcess;
import io.portcullis.artifacts.testing.TestCa;
import io.portcullis.artifacts.testing.Tools;
import io.portcullis.artifacts.verify.ConfiguredVerification;
import io.portcullis.artifacts.verify.ImageVerifier;
import io.portcullis.artifacts.verify.SignatureConstraint;
import io.portcullis.artifacts.verify.SignatureConstraint.GenericIssuer;
import io.portcullis.artifacts.verify.SignatureConstraint.GithubAction;
import io.portcullis.artifacts.verify.SignatureConstraint.PubKey;
import io.portcullis.artifacts.verify.SignatureConstraint.Subject;
import io.portcullis.artifacts.verify.VerificationConfig;
import io.portcullis.artifacts.verify.keyless.KeylessRecipe;
import io.portcullis.artifacts.verify.keyless.SigstoreFixture;
import io.portcullis.artifacts.verify.trust.TrustRootSource;
import io.portcullis.artifacts.wasm.WasmModule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests signatures on a real registry: key signatures by the real cosign, keyless signatures by a test Sigstore. */
class VerificationIT {

    private static final byte[] WASM = Modules.ofSize(100_000, 5);

    @TempDir
    private static Path directory;

    private static RegistryProcess registry;
    private static Transport transport;
    private static RegistryClient client;
    private static PolicyArtifacts artifacts;

    @BeforeAll
    static void start() {
        registry = RegistryProcess.plain(directory);
        transport = new Transport(new Sources(Set.of(registry.host()), Map.of(), Proxies.NONE));
        client = new RegistryClient(transport, Credentials.NONE, Clock.systemUTC());
        artifacts = new PolicyArtifacts(client);
    }

    @AfterAll
    static void stop() {
        transport.close();
        registry.close();
    }

    @Test
    void acceptsTagSignaturesOfCosign() throws Exception {
        var image = push("cosign-tag");
        var key = cosignKey("a");
        cosign("sign", "--key", key + ".key", "--new-bundle-format=false", "-a", "env=prod", image);

        assertKeySignatures(image, key);
    }

    @Test
    void acceptsBundlesOfCosign() throws Exception {
        var image = push("cosign-bundle");
        var key = cosignKey("b");
        cosign("sign", "--key", key + ".key", "-a", "env=prod", image);

        assertKeySignatures(image, key);
    }

    private void assertKeySignatures(String image, String key) throws Exception {
        var signer = pubKey(key, Map.of());
        var stranger = PubKey.of(
                TestCa.pem("PUBLIC KEY", TestCa.newKeys().getPublic().getEncoded()), Optional.empty(), Map.of());

        assertThat(fetch(image, VerificationConfig.allOf(List.of(signer))).wasm())
                .isEqualTo(WASM);
        assertThat(fetch(image, VerificationConfig.allOf(List.of(pubKey(key, Map.of("env", "prod")))))
                        .wasm())
                .isEqualTo(WASM);
        assertThat(fetch(image, anyOf(1, signer, stranger)).wasm()).isEqualTo(WASM);
        assertRefused(
                image, VerificationConfig.allOf(List.of(pubKey(key, Map.of("env", "test")))), "missing signatures");
        assertRefused(image, VerificationConfig.allOf(List.of(signer, stranger)), "kind: pubKey");
        assertRefused(image, anyOf(2, signer, stranger), "minimum number of signatures not reached: needed 2, got 1");
    }

    @Test
    void rejectsASignatureOfAnotherImage() throws Exception {
        var signed = push("signed");
        var key = cosignKey("c");
        cosign("sign", "--key", key + ".key", "--new-bundle-format=false", signed);
        var forged = ImageReference.parse(artifacts.push(
                ImageReference.parse(registry.host() + "/signed:forged"),
                Modules.small(),
                Map.of(),
                DownloadProgress.SILENT));
        var original = ImageReference.parse(signed);
        var signature =
                client.manifest(original.withTag(sigTag(original.digest().orElseThrow())));
        client.pushManifest(
                forged.withTag(sigTag(forged.digest().orElseThrow())),
                signature.json().toString().getBytes(StandardCharsets.UTF_8),
                MediaTypes.OCI_MANIFEST);

        assertRefused(
                forged.toString(),
                VerificationConfig.allOf(List.of(pubKey(key, Map.of()))),
                "no signatures found for image");
    }

    @Test
    void reportsMissingSignatures() throws Exception {
        var image = push("unsigned");

        assertRefused(
                image,
                VerificationConfig.allOf(List.of(PubKey.of(
                        TestCa.pem("PUBLIC KEY", TestCa.newKeys().getPublic().getEncoded()),
                        Optional.empty(),
                        Map.of()))),
                "no signatures found for image: ");
    }

    @Test
    void acceptsKeylessSignaturesWithATrustRootAndNotWithout() throws Exception {
        var sigstore = new SigstoreFixture();
        var image = push("keyless");
        attach(
                image,
                new KeylessRecipe(
                        sigstore,
                        SigstoreFixture.WORKFLOW,
                        ImageReference.parse(image).digest().orElseThrow()));
        var trust = TrustRootSource.file(
                Files.writeString(directory.resolve("trusted_root.json"), sigstore.trustRootJson()));
        var wanted = new GithubAction("kubewarden", Optional.of("policy"), Map.of("env", "prod", "build", "7"));
        var issuer = SigstoreFixture.WORKFLOW.issuer();
        var byPrefix = new GenericIssuer(issuer, new Subject.UrlPrefix("https://github.com/kubewarden"), Map.of());

        assertThat(fetch(image, VerificationConfig.allOf(List.of(wanted, byPrefix)), trust)
                        .wasm())
                .isEqualTo(WASM);
        assertRefused(image, new GithubAction("evil", Optional.empty(), Map.of()), trust, "owner: evil");
        assertRefused(image, new GithubAction("kubewarden", Optional.of("x"), Map.of()), trust, "repo: x");
        assertRefused(
                image,
                new GenericIssuer(
                        "https://other.example", new Subject.UrlPrefix("https://github.com/kubewarden"), Map.of()),
                trust,
                "issuer: https://other.example");
        assertRefused(
                image,
                new GenericIssuer(issuer, new Subject.Equal("kubewarden@cncf.io"), Map.of()),
                trust,
                "subject: !equal kubewarden@cncf.io");
        assertRefused(image, wanted, TrustRootSource.file(foreignRoot()), "missing signatures");
        assertThatThrownBy(() -> fetch(image, VerificationConfig.allOf(List.of(wanted)), TrustRootSource.NONE))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.TRUST_ROOT));
        assertThatThrownBy(() -> fetch(
                        image,
                        VerificationConfig.allOf(List.of(wanted)),
                        TrustRootSource.file(directory.resolve("missing.json"))))
                .hasMessageContaining("Error building Sigstore trust root");
    }

    @Test
    void storesAVerifiedPolicyUnderItsTagAndReplacesAnUnsignedFile() throws Exception {
        var image = push("tagged");
        var tag = ImageReference.parse(image).withTag("v1");
        var key = cosignKey("d");
        cosign("sign", "--key", key + ".key", image);
        var config = VerificationConfig.allOf(List.of(pubKey(key, Map.of())));
        var verification = new ConfiguredVerification(
                new ImageVerifier(client, TrustRootSource.NONE, Clock.systemUTC()), artifacts, config);
        var store = new PolicyStore(directory.resolve("tag-store"));
        var place = store.place(new PolicyUri.Registry(tag));
        Files.createDirectories(place.resolveSibling("."));
        Files.write(place, Modules.small());

        var module = new PolicyFetcher(transport, artifacts, store, Optional.of(verification), 1 << 20)
                .fetch("registry://" + tag);

        assertThat(module.wasm()).isEqualTo(WASM);
        assertThat(module.resolvedUrl()).isEqualTo("registry://" + tag.withDigest(client.digest(tag)));
        assertThat(place).hasBinaryContent(WASM);
    }

    @Test
    void verifiesWithACertificateForPolicies() throws Exception {
        var image = push("certificate");
        var ca = TestCa.create("signers");
        var signer = ca.codeSigner("alice");
        attach(
                image,
                KeylessRecipe.byCertificate(
                        signer, ImageReference.parse(image).digest().orElseThrow()));
        var verifier = new ImageVerifier(client, TrustRootSource.NONE, Clock.systemUTC());
        var reference = ImageReference.parse(image);
        var given =
                new SignatureConstraint.Certificate(signer.certificate(), List.of(ca.certificate()), false, Map.of());
        var foreignChain = new SignatureConstraint.Certificate(
                signer.certificate(), List.of(TestCa.create("signers").certificate()), false, Map.of());
        var other = new SignatureConstraint.Certificate(ca.codeSigner("bob").certificate(), List.of(), false, Map.of());

        assertThat(verifier.verify(reference, VerificationConfig.allOf(List.of(given))))
                .isEqualTo(reference.digest().orElseThrow());
        assertThatThrownBy(() -> verifier.verify(reference, VerificationConfig.allOf(List.of(foreignChain))))
                .hasMessageContaining("missing signatures");
        assertThatThrownBy(() -> verifier.verify(reference, VerificationConfig.allOf(List.of(other))))
                .hasMessageContaining("missing signatures");
    }

    @Test
    void refusesToVerifyPoliciesOutsideARegistry() {
        var config = VerificationConfig.allOf(List.of(new GithubAction("o", Optional.empty(), Map.of())));

        assertThatThrownBy(() -> fetch("file:///tmp/x.wasm", config, TrustRootSource.NONE))
                .hasMessageContaining("cannot be verified");
    }

    private static Path foreignRoot() throws IOException {
        return Files.writeString(directory.resolve("foreign_root.json"), new SigstoreFixture().trustRootJson());
    }

    /** Stores a signature where cosign would. */
    private static void attach(String image, KeylessRecipe recipe) {
        var reference = ImageReference.parse(image);
        var layer = new Blob("application/vnd.dev.cosign.simplesigning.v1+json", recipe.layer());
        var config = new Blob("application/vnd.oci.image.config.v1+json", "{}".getBytes(StandardCharsets.UTF_8));
        client.pushBlob(reference, layer, DownloadProgress.SILENT);
        client.pushBlob(reference, config, DownloadProgress.SILENT);
        var annotations = new ArrayList<String>();
        recipe.annotations().forEach((key, value) -> annotations.add(quote(key) + ":" + quote(value)));
        var manifest = "{\"schemaVersion\":2,\"mediaType\":\"" + MediaTypes.OCI_MANIFEST + "\",\"config\":"
                + descriptor(config, "") + ",\"layers\":["
                + descriptor(layer, ",\"annotations\":{" + String.join(",", annotations) + "}") + "]}";
        client.pushManifest(
                reference.withTag(sigTag(reference.digest().orElseThrow())),
                manifest.getBytes(StandardCharsets.UTF_8),
                MediaTypes.OCI_MANIFEST);
    }

    private static String descriptor(Blob blob, String more) {
        return "{\"mediaType\":\"" + blob.mediaType() + "\",\"digest\":\"" + blob.digest() + "\",\"size\":"
                + blob.bytes().length + more + "}";
    }

    private static String quote(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }

    private static String sigTag(String digest) {
        return digest.replace(':', '-') + ".sig";
    }

    private static String push(String name) {
        var image = ImageReference.parse(registry.host() + "/" + name + ":v1");
        return artifacts.push(image, WASM, Map.of(), DownloadProgress.SILENT);
    }

    private static VerificationConfig anyOf(int minimum, SignatureConstraint... signatures) {
        return new VerificationConfig(
                List.of(), Optional.of(new VerificationConfig.AnyOf(minimum, List.of(signatures))));
    }

    private static PubKey pubKey(String key, Map<String, String> annotations) throws IOException {
        return PubKey.of(Files.readString(Path.of(key + ".pub")), Optional.empty(), annotations);
    }

    private static PolicyFetcher.FetchedModule fetch(String image, VerificationConfig config) throws IOException {
        return fetch(image, config, TrustRootSource.NONE);
    }

    private static PolicyFetcher.FetchedModule fetch(String image, VerificationConfig config, TrustRootSource trust)
            throws IOException {
        var verification =
                new ConfiguredVerification(new ImageVerifier(client, trust, Clock.systemUTC()), artifacts, config);
        var store = new PolicyStore(Files.createTempDirectory(directory, "store"));
        return new PolicyFetcher(transport, artifacts, store, Optional.of(verification), WasmModule.DEFAULT_LIMIT)
                .fetch(image);
    }

    private static void assertRefused(
            String image, SignatureConstraint constraint, TrustRootSource trust, String message) {
        assertThatThrownBy(() -> fetch(image, VerificationConfig.allOf(List.of(constraint)), trust))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SIGNATURE))
                .hasMessageContaining(message);
    }

    private static void assertRefused(String image, VerificationConfig config, String message) {
        assertThatThrownBy(() -> fetch(image, config))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.SIGNATURE))
                .hasMessageContaining(message);
    }

    private static String cosignKey(String name) throws Exception {
        var prefix = directory.resolve("key-" + name).toString();
        run(List.of("generate-key-pair", "--output-key-prefix", prefix));
        return prefix;
    }

    private static void cosign(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(arguments));
        command.addAll(1, List.of("--tlog-upload=false", "--use-signing-config=false", "--allow-http-registry", "-y"));
        run(command);
    }

    private static void run(List<String> arguments) throws Exception {
        var command = new ArrayList<>(List.of(Tools.require("cosign").toString()));
        command.addAll(arguments);
        var log = Files.createTempFile(directory, "cosign", ".log");
        var builder = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().put("COSIGN_PASSWORD", "");
        builder.environment().put("HOME", directory.toString());
        assertThat(builder.start().waitFor()).as(() -> read(log)).isZero();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
