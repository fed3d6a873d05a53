package io.portcullis.artifacts.oci.credentials;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.artifacts.oci.credentials.Credential.Anonymous;
import io.portcullis.artifacts.oci.credentials.Credential.IdentityToken;
import io.portcullis.artifacts.oci.credentials.Credential.Password;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DockerConfigTest {

    @TempDir
    private Path directory;

    @Test
    void findsPasswordsAndTokens() throws IOException {
        var credentials =
                load("""
                {"auths": {
                  "https://ghcr.io/v2/": {"auth": "%s"},
                  "quay.io": {"identitytoken": "t0ken"},
                  "https://index.docker.io/v1/": {"auth": "%s"},
                  "empty.example": {}
                }}
                """.formatted(base64("alice:p:w"), base64("hub:pw").replace("=", "")));

        assertThat(credentials.forRegistry("ghcr.io")).isEqualTo(new Password("alice", "p:w"));
        assertThat(credentials.forRegistry("quay.io")).isEqualTo(new IdentityToken("t0ken"));
        assertThat(credentials.forRegistry("docker.io")).isEqualTo(new Password("hub", "pw"));
        assertThat(credentials.forRegistry("empty.example")).isEqualTo(new Anonymous());
        assertThat(credentials.forRegistry("other.example")).isEqualTo(new Anonymous());
    }

    @Test
    void asksCredentialHelpers() throws IOException {
        helper("good", "read server; printf '{\"Username\":\"u-%s\",\"Secret\":\"s\"}' \"$server\"");
        helper("token", "printf '{\"Username\":\"<token>\",\"Secret\":\"refresh\"}'");
        helper("broken", "echo boom >&2; exit 1");
        Files.writeString(directory.resolve("config.json"), """
                {"credHelpers": {"ghcr.io": "good", "quay.io": "token", "bad.example": "broken", "evil.example": "../x"},
                 "credsStore": "good"}
                """);
        var path = directory + ":" + System.getenv("PATH");
        var credentials = DockerConfig.load(Optional.of(directory), Map.of("PATH", path));

        assertThat(credentials.forRegistry("ghcr.io")).isEqualTo(new Password("u-ghcr.io", "s"));
        assertThat(credentials.forRegistry("quay.io")).isEqualTo(new IdentityToken("refresh"));
        assertThat(credentials.forRegistry("stored.example")).isEqualTo(new Password("u-stored.example", "s"));
        assertThat(credentials.forRegistry("bad.example")).isEqualTo(new Password("u-bad.example", "s"));
        assertThat(new CredentialHelper(Map.of("PATH", path)).ask("broken", "x"))
                .isEmpty();
        assertThat(new CredentialHelper(Map.of("PATH", path)).ask("../x", "x")).isEmpty();
        assertThat(new CredentialHelper(Map.of("PATH", path)).ask("missing", "x"))
                .isEmpty();
    }

    @Test
    void isAnonymousWithoutAUsableFile() throws IOException {
        assertThat(DockerConfig.load(Optional.of(directory.resolve("missing")), Map.of())
                        .forRegistry("ghcr.io"))
                .isEqualTo(new Anonymous());
        assertThat(load("not json").forRegistry("ghcr.io")).isEqualTo(new Anonymous());
        assertThat(load("{\"auths\":{\"ghcr.io\":{\"auth\":\"%%%\"}}}").forRegistry("ghcr.io"))
                .isEqualTo(new Anonymous());
    }

    @Test
    void readsPodmansFile() throws IOException {
        var file = Files.writeString(
                directory.resolve("auth.json"), "{\"auths\":{\"quay.io\":{\"auth\":\"" + base64("a:b") + "\"}}}");

        var credentials = DockerConfig.load(Optional.empty(), Map.of("REGISTRY_AUTH_FILE", file.toString()));

        assertThat(credentials.forRegistry("quay.io")).isEqualTo(new Password("a", "b"));
    }

    @Test
    void neverPrintsSecrets() {
        assertThat(new Password("alice", "hunter2").toString()).doesNotContain("hunter2");
        assertThat(new IdentityToken("hunter2").toString()).doesNotContain("hunter2");
    }

    private Credentials load(String json) throws IOException {
        Files.writeString(directory.resolve("config.json"), json);
        return DockerConfig.load(Optional.of(directory), Map.of());
    }

    private void helper(String name, String script) throws IOException {
        var file = Files.writeString(directory.resolve("docker-credential-" + name), "#!/bin/sh\n" + script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
