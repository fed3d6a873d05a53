package io.portcullis.core.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ModuleReferenceTest {

    @ParameterizedTest
    @CsvSource({
        "registry://ghcr.io/kubewarden/p:v1, registry://ghcr.io/kubewarden/p:v1",
        "ghcr.io/kubewarden/p:v1, registry://ghcr.io/kubewarden/p:v1",
        "registry://GHCR.IO/kubewarden/p, registry://ghcr.io/kubewarden/p",
        "registry://localhost:5000/p@sha256:00, registry://localhost:5000/p@sha256:00",
        "registry://[::1]:5000/p:v1, registry://[::1]:5000/p:v1",
        "kubewarden/p:v1, registry://docker.io/kubewarden/p:v1",
        "registry://index.docker.io/kubewarden/p:v1, registry://docker.io/kubewarden/p:v1",
        "p, registry://docker.io/library/p",
        "https://Example.com:443/policies/p.wasm, https://example.com/policies/p.wasm",
        "http://example.com:8080/p.wasm?x=1, http://example.com:8080/p.wasm?x=1",
        "https://example.com/a/./p.wasm, https://example.com/a/p.wasm",
        "file:///dev/zero, file:////dev/zero",
    })
    void parsesToOneNormalForm(String text, String normal) {
        assertThat(ModuleReference.parse(text).map(ModuleReference::text)).contains(normal);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "ftp://example.com/p",
                "registry://",
                "registry://ghcr.io/",
                "registry://ghcr.io/UPPER/p",
                "registry://user@evil.com/p",
                "registry://ghcr.io/../p",
                "https://user:secret@example.com/p.wasm",
                "https:///p.wasm",
                "https://example.com",
                "https://example.com/",
                "https://example.com/policies/../../p.wasm",
                "https://example.com/policies/%2e%2e/p.wasm",
                "https://example.com/policies%2fp.wasm",
                "https://example.com/policies%5Cp.wasm",
                "https://exa mple.com/p.wasm",
                "https:example.com/p.wasm",
            })
    void rejectsReferencesThatCouldMeanAnotherSource(String text) {
        assertThat(ModuleReference.parse(text)).isEmpty();
    }
}
