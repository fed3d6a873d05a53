package io.portcullis.artifacts.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyUriTest {

    private static final String HEX = "ab".repeat(32);

    @ParameterizedTest
    @CsvSource({
        "ghcr.io/kubewarden/policies/psp:v1, registry://ghcr.io/kubewarden/policies/psp:v1",
        "'registry://ghcr.io/kubewarden/policies/psp ', registry://ghcr.io/kubewarden/policies/psp:latest",
        "busybox, registry://docker.io/library/busybox:latest",
        "index.docker.io/busybox:1, registry://docker.io/library/busybox:1",
        "localhost/x:v1, registry://localhost/x:v1",
        "localhost:5000/a/b.wasm, registry://localhost:5000/a/b.wasm:latest",
        "registry://h:443/x:v1, registry://h:443/x:v1",
        "https://GitHub.com:443/o/r/p.wasm, https://github.com/o/r/p.wasm",
        "https://h:8443/p.wasm?sig=1, https://h:8443/p.wasm?sig=1",
        "https://h/a/../p.wasm, https://h/p.wasm",
        "file:///tmp/a%20b+c.wasm, file:///tmp/a b+c.wasm",
    })
    void normalises(String text, String expected) {
        assertThat(PolicyUri.parse(text)).hasToString(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ghcr.io/a/b@sha256:", "ghcr.io/a/b:v1@sha256:"})
    void keepsDigestsAndAddsNoTag(String start) {
        assertThat(PolicyUri.parse(start + HEX)).hasToString("registry://" + start + HEX);
    }

    @ParameterizedTest
    @CsvSource({
        "ftp://h/x, unknown scheme: ftp",
        "registry://ghcr.io/../../etc/passwd, invalid reference format",
        "registry://ghcr.io/a/../b:v1, invalid reference format",
        "ghcr.io/Upper/case:v1, repository name must be lowercase",
        "ghcr.io/a:v1:v2, invalid reference format",
        "ghcr.io/a:../../x, invalid reference format",
        "ghcr.io/a@sha256:abc, invalid digest",
        "ghcr.io/a@md5:abc, invalid digest",
        "https://h/a/%2e%2e/p.wasm, leaves its place",
        "https://h/a/..%2f..%2fetc/passwd, leaves its place",
        "https://h/../../p.wasm, leaves its place",
        "https://h/, names no file",
        "https:///p.wasm, host",
        "file://home/x.wasm, cannot convert URL to path",
        "'', invalid reference format",
        "registry://, invalid reference format",
    })
    void refuses(String text, String why) {
        assertThatThrownBy(() -> PolicyUri.parse(text))
                .isInstanceOfSatisfying(
                        ArtifactException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_REFERENCE))
                .hasMessageContaining(why);
    }

    @Test
    void refusesCredentialsInUrlsWithoutRepeatingThem() {
        assertThatThrownBy(() -> PolicyUri.parse("https://bob:secret@h/p.wasm"))
                .hasMessageContaining("credentials")
                .hasMessageNotContaining("secret");
    }
}
