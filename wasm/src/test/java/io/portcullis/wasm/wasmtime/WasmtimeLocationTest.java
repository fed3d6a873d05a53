package io.portcullis.wasm.wasmtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class WasmtimeLocationTest {

    @Test
    void usesOnlyAnExplicitFile() {
        var properties = platform("Linux", "amd64");
        properties.setProperty(WasmtimeLocation.DIRECTORY, "/opt/native");

        assertThat(WasmtimeLocation.from(properties, Map.of(WasmtimeLocation.LIBRARY, "/a/lib.so"))
                        .candidates())
                .containsExactly(Path.of("/a/lib.so"));

        properties.setProperty(WasmtimeLocation.LIBRARY, "/b/lib.so");
        assertThat(WasmtimeLocation.from(properties, Map.of(WasmtimeLocation.LIBRARY, "/a/lib.so"))
                        .candidates())
                .containsExactly(Path.of("/b/lib.so"));
    }

    @Test
    void prefersTheDistributionOverTheCache() {
        var properties = platform("Linux", "amd64");
        properties.setProperty(WasmtimeLocation.DIRECTORY, "/opt/native");
        properties.setProperty("user.home", "/home/me");

        assertThat(WasmtimeLocation.from(properties, Map.of()).candidates())
                .containsExactly(
                        Path.of("/opt/native/linux-x86_64/_libwasmtime.so"),
                        Path.of("/opt/native/_libwasmtime.so"),
                        Path.of("/home/me/.cache/portcullis/wasmtime/50.0.1/linux-x86_64/_libwasmtime.so"));
    }

    @ParameterizedTest
    @CsvSource({
        "Linux, aarch64, linux-aarch64/_libwasmtime.so",
        "Mac OS X, aarch64, darwin-aarch64/_libwasmtime.dylib",
        "Mac OS X, x86_64, darwin-x86_64/_libwasmtime.dylib",
        "Windows 11, amd64, win32-x86_64/_wasmtime.dll",
        "Linux, riscv64, linux-riscv64/_libwasmtime.so",
    })
    void eachPlatformHasItsOwnFile(String os, String architecture, String file) {
        var location = WasmtimeLocation.from(platform(os, architecture), Map.of("XDG_CACHE_HOME", "/cache"));

        assertThat(location.candidates()).containsExactly(Path.of("/cache/portcullis/wasmtime/50.0.1", file));
    }

    private static Properties platform(String os, String architecture) {
        var properties = new Properties();
        properties.setProperty("os.name", os);
        properties.setProperty("os.arch", architecture);
        return properties;
    }
}
