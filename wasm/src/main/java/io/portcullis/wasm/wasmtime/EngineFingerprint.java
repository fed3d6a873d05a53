package io.portcullis.wasm.wasmtime;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeSet;

/**
 * The name under which compiled modules may be shared: version, processor architecture, and a hash of the configuration
 * and the processor's features, because Cranelift uses every instruction the machine has.
 */
final class EngineFingerprint {

    private static final Path CPU_INFO = Path.of("/proc/cpuinfo");

    private EngineFingerprint() {}

    static String of(String version, String configuration) {
        var system = System.getProperty("os.name") + "/" + System.getProperty("os.arch");
        var hash = sha256(configuration + "\n" + system + "\n" + cpuFeatures());
        return "wasmtime-%s-%s-%s"
                .formatted(version, System.getProperty("os.arch").replace('_', '-'), hash.substring(0, 16));
    }

    /** Returns the sorted feature flags on Linux; empty elsewhere, where machines do not share caches. */
    private static String cpuFeatures() {
        if (!Files.isReadable(CPU_INFO)) {
            return "";
        }
        try (var lines = Files.lines(CPU_INFO)) {
            return lines.filter(line -> line.startsWith("flags") || line.startsWith("Features"))
                    .findFirst()
                    .map(line -> String.join(
                            " ",
                            new TreeSet<>(Arrays.asList(line.substring(line.indexOf(':') + 1)
                                    .strip()
                                    .split("\\s+")))))
                    .orElse("");
        } catch (IOException _) {
            return "";
        }
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new LinkageError("every Java platform has SHA-256", impossible);
        }
    }
}
