package io.portcullis.kwctl.cli;

import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * The directories for configuration and caches, by the rules of the operating system. Ignores relative XDG values, as the
 * XDG specification requires.
 */
public record Directories(Path config, Path cache) {

    private static final String MAC_NAME = "io.kubewarden.kubewarden";
    private static final String NAME = "kubewarden";

    public static Directories of(Map<String, String> environment, String osName) {
        var os = osName.toLowerCase(Locale.ROOT);
        var home = Path.of(environment.getOrDefault("HOME", System.getProperty("user.home", "/")));
        if (os.startsWith("mac")) {
            var library = home.resolve("Library");
            return new Directories(
                    library.resolve("Application Support").resolve(MAC_NAME),
                    library.resolve("Caches").resolve(MAC_NAME));
        }
        if (os.startsWith("windows")) {
            return new Directories(
                    Path.of(environment.getOrDefault("APPDATA", home.toString()), NAME, "config"),
                    Path.of(environment.getOrDefault("LOCALAPPDATA", home.toString()), NAME, "cache"));
        }
        return new Directories(
                xdg(environment, "XDG_CONFIG_HOME", home.resolve(".config")).resolve(NAME),
                xdg(environment, "XDG_CACHE_HOME", home.resolve(".cache")).resolve(NAME));
    }

    private static Path xdg(Map<String, String> environment, String variable, Path fallback) {
        var path = Path.of(environment.getOrDefault(variable, ""));
        return path.isAbsolute() ? path : fallback;
    }

    public Path store() {
        return cache.resolve("store");
    }

    /** The cache that only kwctl uses: compiled modules and the table of API resource types. */
    public Path kwctlCache() {
        return cache.resolve("kwctl");
    }

    public Path sourcesFile() {
        return config.resolve("sources.yaml");
    }

    public Path verificationConfigFile() {
        return config.resolve("verification-config.yml");
    }

    public Path trustRoot() {
        return config.resolve("fulcio_and_rekor_data");
    }
}
