package io.portcullis.wasm.engine;

import io.portcullis.wasm.EngineLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.endive.EndiveEngine;
import io.portcullis.wasm.wasmtime.WasmtimeEngine;
import io.portcullis.wasm.wasmtime.WasmtimeLocation;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Creates engines. Programs use {@link #best}; tests and benchmarks choose one engine. */
public final class WasmEngines {

    private static final Logger log = LoggerFactory.getLogger(WasmEngines.class);

    private WasmEngines() {}

    /** Like {@link #best(EngineLimits)}, with {@link EngineLimits#DEFAULT}. */
    public static WasmEngine best() {
        return best(EngineLimits.DEFAULT);
    }

    /** Returns Wasmtime when its library is found and loads, else Endive. Logs the reason for Endive in one line. */
    public static WasmEngine best(EngineLimits limits) {
        return best(System.getProperties(), System.getenv(), limits);
    }

    /** The same engine for a process that prepares modules and may hold little memory: no instance slots are reserved. */
    public static WasmEngine forPreparation() {
        return best(System.getProperties(), System.getenv(), EngineLimits.DEFAULT, WasmtimeEngine::loadWithoutPool);
    }

    static WasmEngine best(Properties properties, Map<String, String> environment, EngineLimits limits) {
        return best(properties, environment, limits, WasmtimeEngine::load);
    }

    private static WasmEngine best(
            Properties properties,
            Map<String, String> environment,
            EngineLimits limits,
            BiFunction<Path, EngineLimits, WasmtimeEngine> loader) {
        try {
            return wasmtime(properties, environment, limits, loader);
        } catch (IllegalStateException failure) {
            log.atWarn().addKeyValue("error", failure.getMessage()).log("wasmtime is missing, using the slower endive");
            return endive(limits);
        }
    }

    /** Like {@link #endive(EngineLimits)}, with {@link EngineLimits#DEFAULT}. */
    public static WasmEngine endive() {
        return endive(EngineLimits.DEFAULT);
    }

    /** Returns the engine in pure Java, which is always available. */
    public static WasmEngine endive(EngineLimits limits) {
        return new EndiveEngine(limits);
    }

    /** Like {@link #wasmtime(EngineLimits)}, with {@link EngineLimits#DEFAULT}. */
    public static WasmEngine wasmtime() {
        return wasmtime(EngineLimits.DEFAULT);
    }

    /** @throws IllegalStateException when the library is missing or does not load; the message lists the searched locations */
    public static WasmEngine wasmtime(EngineLimits limits) {
        return wasmtime(System.getProperties(), System.getenv(), limits);
    }

    static WasmEngine wasmtime(Properties properties, Map<String, String> environment, EngineLimits limits) {
        return wasmtime(properties, environment, limits, WasmtimeEngine::load);
    }

    private static WasmEngine wasmtime(
            Properties properties,
            Map<String, String> environment,
            EngineLimits limits,
            BiFunction<Path, EngineLimits, WasmtimeEngine> loader) {
        var location = WasmtimeLocation.from(properties, environment);
        var file = location.find()
                .orElseThrow(() -> new IllegalStateException("the Wasmtime library is not at " + location.candidates()
                        + "; wasm/fetch-wasmtime.sh fetches it"));
        try {
            var engine = loader.apply(file, limits);
            log.atDebug().addKeyValue("library", file).log("wasmtime loaded");
            return engine;
        } catch (IllegalArgumentException failure) {
            throw new IllegalStateException(
                    "the Wasmtime library " + file + " does not load: " + failure.getMessage(), failure);
        }
    }
}
