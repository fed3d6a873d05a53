package io.portcullis.wasm.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.portcullis.wasm.EngineLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WasmEnginesTest {

    @TempDir
    Path directory = Path.of("");

    @Test
    void fallsBackToPureJavaWhenTheLibraryIsMissing() {
        try (var engine =
                WasmEngines.best(properties(), Map.of("XDG_CACHE_HOME", directory.toString()), EngineLimits.DEFAULT)) {
            assertThat(engine.name()).startsWith("endive");
        }
    }

    @Test
    void fallsBackToPureJavaWhenTheLibraryIsBroken() throws IOException {
        var file = Files.writeString(directory.resolve("broken.so"), "not a library");

        try (var engine = WasmEngines.best(
                properties(), Map.of("PORTCULLIS_WASMTIME_LIB", file.toString()), EngineLimits.DEFAULT)) {
            assertThat(engine.name()).startsWith("endive");
        }
    }

    @Test
    void reportsWhereTheLibraryWasSearched() {
        assertThatIllegalStateException()
                .isThrownBy(() -> WasmEngines.wasmtime(
                        properties(), Map.of("XDG_CACHE_HOME", directory.toString()), EngineLimits.DEFAULT))
                .withMessageContaining(
                        directory.resolve("portcullis/wasmtime/50.0.1").toString())
                .withMessageContaining("fetch-wasmtime.sh");
    }

    private static Properties properties() {
        var properties = new Properties();
        properties.setProperty("os.name", "Linux");
        properties.setProperty("os.arch", "amd64");
        return properties;
    }
}
