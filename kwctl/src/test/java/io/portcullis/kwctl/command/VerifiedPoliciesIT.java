package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlProcess;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.registry.LocalRegistry;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the real program with a real registry and signatures by real cosign. */
@NeedsTools({"registry", "cosign"})
class VerifiedPoliciesIT {

    private static final String MANIFEST = "application/vnd.oci.image.manifest.v1+json";

    @TempDir
    private static Path shared;

    private static LocalRegistry registry;
    private static String signed;
    private static String digest;

    @TempDir
    Path directory;

    private KwctlProcess kwctl;

    @BeforeAll
    static void sign() throws Exception {
        registry = LocalRegistry.plain(Files.createDirectory(shared.resolve("registry")));
        signed = registry.host() + "/signed/privileged-pods:v1";
        Files.writeString(shared.resolve("sources.yaml"), "insecure_sources: [\"" + registry.host() + "\"]\n");
        var pushed = new KwctlProcess(shared)
                .run("push", "--sources-path", "sources.yaml", SamplePolicies.PRIVILEGED_PODS, signed);
        digest = pushed.out().strip().substring(pushed.out().indexOf("sha256:"));
        cosign("generate-key-pair", "--output-key-prefix", shared.resolve("a").toString());
        cosign("generate-key-pair", "--output-key-prefix", shared.resolve("b").toString());
        cosign(
                "sign",
                "--tlog-upload=false",
                "--use-signing-config=false",
                "--allow-http-registry",
                "-y",
                "--new-bundle-format=false",
                "-a",
                "env=prod",
                "--key",
                shared.resolve("a.key").toString(),
                registry.host() + "/signed/privileged-pods@" + digest);
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    private static void cosign(String... words) {
        var line = new ArrayList<>(List.of(Tools.current().path("cosign").toString()));
        line.addAll(List.of(words));
        ShellCommand.of(line)
                .with("COSIGN_PASSWORD", "")
                .with("HOME", shared.toString())
                .run();
    }

    @BeforeEach
    void home() {
        kwctl = new KwctlProcess(directory);
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
    }

    private KwctlRunner.Result kwctl(String command, String... words) {
        var line = new ArrayList<>(List.of(
                command, "--sources-path", shared.resolve("sources.yaml").toString()));
        line.addAll(List.of(words));
        return kwctl.run(line.toArray(String[]::new));
    }

    private static String key(String name) {
        return shared.resolve(name + ".pub").toString();
    }

    @Test
    void acceptsTheSignersKeyAndAnnotations() {
        var verified = kwctl("verify", "-k", key("a"), "-a", "env=prod", signed);
        var pulled = kwctl("pull", "-k", key("a"), "registry://" + signed);
        var ran = kwctl("run", "-k", key("a"), "-r", "r.json", "registry://" + signed);

        assertThat(verified.err()).contains("Policy successfully verified");
        assertThat(verified.out()).isEmpty();
        assertThat(verified.code()).isZero();
        assertThat(pulled.err()).contains("Policy successfully verified");
        assertThat(kwctl.run("policies").out()).contains("registry://" + signed);
        assertThat(ran.out()).contains("\"allowed\":false");
    }

    @Test
    void rejectsOtherKeysAndAnnotations() {
        for (var demand : List.of(
                List.of("-k", key("b")),
                List.of("-k", key("a"), "-k", key("b")),
                List.of("-k", key("a"), "-a", "env=test"))) {
            var words = new ArrayList<>(demand);
            words.add("registry://" + signed);
            for (var command : List.of("verify", "pull")) {
                var result = kwctl(command, words.toArray(String[]::new));

                assertThat(result.err())
                        .contains("Error: Policy registry://" + signed + " cannot be validated\n")
                        .contains("Image verification failed: missing signatures\n")
                        .contains("kind: pubKey");
                assertThat(result.code()).isEqualTo(1);
            }
        }
        assertThat(kwctl.run("policies").out()).isEmpty();
    }

    /** Covers the signature of one policy next to another policy, and a signed tag that was moved. */
    @Test
    void rejectsASignatureOfAnotherPolicy() throws Exception {
        var forged = registry.host() + "/signed/privileged-pods:forged";
        var pushed = kwctl("push", SamplePolicies.RUN_AS_USER, forged);
        var forgedDigest = pushed.out().strip().substring(pushed.out().indexOf("sha256:"));
        copyManifest(digest.replace(':', '-') + ".sig", forgedDigest.replace(':', '-') + ".sig");

        var result = kwctl("pull", "-k", key("a"), "registry://" + forged);

        assertThat(result.code()).isEqualTo(1);
        assertThat(result.err()).contains("registry://" + forged + " cannot be validated");
        assertThat(kwctl.run("policies").out()).isEmpty();
    }

    private static void copyManifest(String from, String to) throws Exception {
        var base = "http://" + registry.host() + "/v2/signed/privileged-pods/manifests/";
        try (var http = HttpClient.newHttpClient()) {
            var manifest = http.send(
                    HttpRequest.newBuilder(URI.create(base + from))
                            .header("Accept", MANIFEST)
                            .build(),
                    BodyHandlers.ofByteArray());
            assertThat(manifest.statusCode()).isEqualTo(200);
            var stored = http.send(
                    HttpRequest.newBuilder(URI.create(base + to))
                            .header("Content-Type", MANIFEST)
                            .PUT(BodyPublishers.ofByteArray(manifest.body()))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(stored.statusCode()).isEqualTo(201);
        }
    }

    @Test
    void readsTheVerificationConfigFromAFile() throws Exception {
        var config = "apiVersion: v1\nallOf:\n- kind: pubKey\n  key: |\n"
                + Files.readString(Path.of(key("a"))).indent(4);
        SamplePolicies.write(directory.resolve("config.yml"), config);
        Files.createDirectories(directory.resolve("config/kubewarden"));
        SamplePolicies.write(directory.resolve("config/kubewarden/verification-config.yml"), config);

        assertThat(kwctl("verify", "--verification-config-path", "config.yml", signed)
                        .code())
                .isZero();
        assertThat(kwctl("pull", "registry://" + signed).err())
                .contains("Default verification config present", "Policy successfully verified");
    }

    /** Copies byte for byte, so that signatures stay valid. */
    @Test
    void copiesSignaturesWithThePolicy() {
        var copy = registry.host() + "/copies/privileged-pods:v2";

        var copied = kwctl("copy", signed, "registry://" + copy);

        assertThat(copied.out())
                .as(copied.err())
                .isEqualTo(
                        "Policy successfully copied: " + registry.host() + "/copies/privileged-pods@" + digest + "\n");
        assertThat(kwctl("verify", "-k", key("a"), copy).err()).contains("Policy successfully verified");
        assertThat(kwctl("verify", "-k", key("b"), copy).code()).isEqualTo(1);
        assertThat(kwctl("copy", registry.host() + "/none:v1", copy).err())
                .contains("Error: Fail to interact with OCI registry: ");
    }

    @Test
    void pullsOnDemand() {
        assertThat(kwctl("inspect", "--pull", signed).out()).contains("Details");
        assertThat(kwctl("save", "--pull", "-o", "x.tgz", signed).code()).isZero();
        assertThat(directory.resolve("x.tgz")).exists();
    }

    @Test
    void showsTheSigners() {
        kwctl("pull", "registry://" + signed);

        assertThat(kwctl("inspect", "--show-signatures", "registry://" + signed).out())
                .contains("Sigstore signatures", "dev.cosignproject.cosign/signature");
        assertThat(kwctl("inspect", "-o", "yaml", "--show-signatures", "registry://" + signed)
                        .out())
                .contains("\nsignatures:\n");
        assertThat(kwctl("inspect", "-o", "yaml", "registry://" + signed).out()).doesNotContain("signatures:");
    }
}
