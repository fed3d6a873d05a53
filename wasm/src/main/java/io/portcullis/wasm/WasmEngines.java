package io.portcullis.wasm;

import io.portcullis.wasm.endive.EndiveEngine;
import io.portcullis.wasm.wasmtime.WasmtimeEngine;
import io.portcullis.wasm.wasmtime.WasmtimeLocation;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes engines. Programs ask for {@link #best}; tests and benchmarks for a particular one. */
public final class WasmEngines {

    private static final Logger log = LoggerFactory.getLogger(WasmEngines.class);

    private WasmEngines() {}

    /** Wasmtime where its library is found and loads, else Endive, with one line in the log that says why. */
    public static WasmEngine best() {
        return best(System.getProperties(), System.getenv());
    }

    /** The same engine for a process that prepares modules and may hold little memory: no instance slots are reserved. */
    public static WasmEngine forPreparation() {
        return best(System.getProperties(), System.getenv(), WasmtimeEngine::loadWithoutPool);
    }

    static WasmEngine best(Properties properties, Map<String, String> environment) {
        return best(properties, environment, WasmtimeEngine::load);
    }

    private static WasmEngine best(
            Properties properties, Map<String, String> environment, Function<Path, WasmtimeEngine> loader) {
        try {
            return wasmtime(properties, environment, loader);
        } catch (IllegalStateException failure) {
            log.atWarn().addKeyValue("error", failure.getMessage()).log("wasmtime is missing, using the slower endive");
            return endive();
        }
    }

    /** The engine in pure Java, which is always there. */
    public static WasmEngine endive() {
        return new EndiveEngine();
    }

    /** @throws IllegalStateException when the library is missing or does not load; the message says where it was looked for */
    public static WasmEngine wasmtime() {
        return wasmtime(System.getProperties(), System.getenv());
    }

    static WasmEngine wasmtime(Properties properties, Map<String, String> environment) {
        return wasmtime(properties, environment, WasmtimeEngine::load);
    }

    private static WasmEngine wasmtime(
            Properties properties, Map<String, String> environment, Function<Path, WasmtimeEngine> loader) {
        var location = WasmtimeLocation.from(properties, environment);
        var file = location.find()
                .orElseThrow(() -> new IllegalStateException("the Wasmtime library is not at " + location.candidates()
                        + "; wasm/fetch-wasmtime.sh fetches it"));
        try {
            var engine = loader.apply(file);
            log.atDebug().addKeyValue("library", file).log("wasmtime loaded");
            return engine;
        } catch (IllegalArgumentException failure) {
            throw new IllegalStateException(
                    "the Wasmtime library " + file + " does not load: " + failure.getMessage(), failure);
        }
    }
}
