package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.kwctl.KwctlProcess;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.testkit.registry.LocalRegistry;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors of a registry with authentication and its own certificate. */
@NeedsTools("registry")
class RegistryRefusalsIT {

    @TempDir
    private static Path directory;

    private static LocalRegistry registry;
    private static String image;

    private final KwctlProcess kwctl = new KwctlProcess(directory);

    @BeforeAll
    static void start() throws Exception {
        registry = LocalRegistry.withPassword(Files.createDirectory(directory.resolve("registry")));
        image = registry.host() + "/tests/privileged-pods";
        Files.writeString(
                directory.resolve("ca.pem"),
                registry.servingCertificate().orElseThrow().certificatePem());
        Files.writeString(
                directory.resolve("trusting.yaml"),
                "source_authorities: {\"%s\": [{type: Path, path: \"%s\"}]}\n"
                        .formatted(registry.host(), directory.resolve("ca.pem")));
        Files.writeString(directory.resolve("r.json"), SamplePolicies.podRequest(true));
        credentials("right", LocalRegistry.PASSWORD);
        credentials("wrong", "guess");
    }

    private static void credentials(String name, String password) throws Exception {
        var pair = LocalRegistry.USER + ":" + password;
        Files.writeString(
                Files.createDirectory(directory.resolve(name)).resolve("config.json"),
                "{\"auths\":{\"%s\":{\"auth\":\"%s\"}}}"
                        .formatted(
                                registry.host(),
                                Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8))));
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void pushesAndRunsWithTheRightPasswordAndCertificate() {
        var pushed = kwctl.run(
                "push",
                "--sources-path",
                "trusting.yaml",
                "--docker-config-json-path",
                "right",
                SamplePolicies.PRIVILEGED_PODS,
                image + ":v1");
        var ran = kwctl.with("DOCKER_CONFIG", directory.resolve("right").toString())
                .run("run", "--sources-path", "trusting.yaml", "-r", "r.json", "registry://" + image + ":v1");

        assertThat(pushed.out()).as(pushed.err()).startsWith("Policy successfully pushed: " + image + "@sha256:");
        assertThat(ran.out()).as(ran.err()).contains("\"allowed\":false");
    }

    @Test
    void storesPasswordsThatTheRegistryAccepts() throws Exception {
        var config = directory.resolve("mine");
        var login = "printf '%s\\n' \"$1\" | " + KwctlProcess.LAUNCHER + " login -u " + LocalRegistry.USER
                + " --password-stdin --sources-path trusting.yaml --docker-config-json-path mine " + registry.host();

        var refused = kwctl.shell(List.of("bash", "-c", login, "bash", "guess"));
        assertThat(refused.err())
                .contains("Error: Fail to interact with OCI registry: Not authorized")
                .doesNotContain("guess");
        assertThat(refused.code()).isEqualTo(1);
        assertThat(config).doesNotExist();

        var accepted = kwctl.shell(List.of("bash", "-c", login, "bash", LocalRegistry.PASSWORD));
        assertThat(accepted.err()).contains("Logged in to " + registry.host()).doesNotContain(LocalRegistry.PASSWORD);
        assertThat(accepted.code()).isZero();
        assertThat(Files.getPosixFilePermissions(config.resolve("config.json")))
                .containsExactlyInAnyOrder(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
        var pushed = push("mine", ":login");
        assertThat(pushed.code()).as(pushed.err()).isZero();

        assertThat(kwctl.run("logout", "--docker-config-json-path", "mine", registry.host())
                        .code())
                .isZero();
        assertThat(push("mine", ":logout").err()).contains("Not authorized");
        assertThat(kwctl.run("logout", "--docker-config-json-path", "mine", registry.host())
                        .err())
                .contains("not logged in to " + registry.host());
    }

    private KwctlRunner.Result push(String config, String tag) {
        return kwctl.run(
                "push",
                "--sources-path",
                "trusting.yaml",
                "--docker-config-json-path",
                config,
                SamplePolicies.PRIVILEGED_PODS,
                image + tag);
    }

    @Test
    void reportsMissingAndWrongCredentials() {
        for (var more : List.of(List.<String>of(), List.of("--docker-config-json-path", "wrong"))) {
            for (var command : List.of("pull", "digest")) {
                var line = new ArrayList<>(List.of(command, "--sources-path", "trusting.yaml", image + ":guarded"));
                line.addAll(more);
                var result = kwctl.run(line.toArray(String[]::new));

                assertThat(result.err())
                        .startsWith("Error: Fail to interact with OCI registry: ")
                        .contains("Not authorized: url https://" + registry.host())
                        .doesNotContain("guess", "Basic ");
                assertThat(result.out()).isEmpty();
                assertThat(result.code()).isEqualTo(1);
            }
        }
    }

    @Test
    void reportsAnUntrustedCertificate() {
        var result = kwctl.run("pull", image + ":guarded");

        assertThat(result.err())
                .startsWith("Error: Fail to interact with OCI registry: ")
                .contains("certification path");
        assertThat(result.code()).isEqualTo(1);
    }

    @Test
    void reportsMissingImagesWithTheRegistrysMessage() {
        var result = kwctl.run(
                "pull", "--sources-path", "trusting.yaml", "--docker-config-json-path", "right", image + ":none");

        assertThat(result.err())
                .startsWith("Error: Fail to interact with OCI registry: Registry error: url https://" + registry.host())
                .contains("envelope: OCI API errors: [", "manifest unknown");
        assertThat(result.code()).isEqualTo(1);
    }
}
