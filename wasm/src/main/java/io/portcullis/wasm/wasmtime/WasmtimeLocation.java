package io.portcullis.wasm.wasmtime;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * Finds the shared library, in this order: the file named by {@value #LIBRARY} (system property or environment),
 * the directory named by {@value #DIRECTORY} (set by the launchers of the distribution), and the cache that {@code
 * wasm/fetch-wasmtime.sh} fills.
 */
public final class WasmtimeLocation {

    public static final String LIBRARY = "PORTCULLIS_WASMTIME_LIB";
    public static final String DIRECTORY = "portcullis.native.dir";

    private final List<Path> candidates;

    private WasmtimeLocation(List<Path> candidates) {
        this.candidates = candidates;
    }

    /** @param properties usually {@link System#getProperties}, {@code environment} usually {@link System#getenv()} */
    public static WasmtimeLocation from(Properties properties, Map<String, String> environment) {
        var explicit = properties.getProperty(LIBRARY, environment.get(LIBRARY));
        if (explicit != null && !explicit.isBlank()) {
            return new WasmtimeLocation(List.of(Path.of(explicit)));
        }
        var platform = platform(properties);
        var file = fileName(platform);
        var candidates = new ArrayList<Path>();
        var directory = properties.getProperty(DIRECTORY);
        if (directory != null && !directory.isBlank()) {
            candidates.add(Path.of(directory, platform, file));
            candidates.add(Path.of(directory, file));
        }
        candidates.add(cache(properties, environment.get("XDG_CACHE_HOME"))
                .resolve(Path.of("portcullis", "wasmtime", WasmtimeEngine.VERSION, platform, file)));
        return new WasmtimeLocation(List.copyOf(candidates));
    }

    public List<Path> candidates() {
        return candidates;
    }

    public Optional<Path> find() {
        return candidates.stream().filter(Files::isRegularFile).findFirst();
    }

    private static Path cache(Properties properties, @Nullable String xdgCache) {
        return xdgCache == null || xdgCache.isBlank()
                ? Path.of(properties.getProperty("user.home", "."), ".cache")
                : Path.of(xdgCache);
    }

    /** The names the Python package uses: {@code linux-x86_64}, {@code darwin-aarch64}, {@code win32-x86_64}. */
    private static String platform(Properties properties) {
        var os = properties.getProperty("os.name", "").toLowerCase(Locale.ROOT);
        var architecture = switch (properties.getProperty("os.arch", "")) {
            case "amd64", "x86_64" -> "x86_64";
            case "aarch64", "arm64" -> "aarch64";
            case String other -> other;
        };
        if (os.startsWith("mac")) {
            return "darwin-" + architecture;
        }
        return os.startsWith("win") ? "win32-" + architecture : "linux-" + architecture;
    }

    private static String fileName(String platform) {
        if (platform.startsWith("darwin")) {
            return "_libwasmtime.dylib";
        }
        return platform.startsWith("win32") ? "_wasmtime.dll" : "_libwasmtime.so";
    }
}
