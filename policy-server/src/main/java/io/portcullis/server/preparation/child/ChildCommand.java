package io.portcullis.server.preparation.child;

import io.portcullis.wasm.wasmtime.WasmtimeLocation;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * Builds the command line of a child process. The child uses the JVM, libraries and engine of this process, and a small
 * heap.
 */
public final class ChildCommand {

    private ChildCommand() {}

    /**
     * @param properties the system properties of the server
     * @param environment the environment of the server, which the child does not inherit
     */
    public static List<String> of(Properties properties, Map<String, String> environment, PreparationLimits limits) {
        var command = new ArrayList<String>();
        command.add(Path.of(properties.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                // The AOT cache contains objects with compact headers.
                "-XX:+UseCompactObjectHeaders",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:ReservedCodeCacheSize=24m",
                "-XX:-UsePerfData",
                "-XX:+ExitOnOutOfMemoryError",
                "-XX:ErrorFile=/dev/null",
                "-Xlog:disable",
                "-Xlog:all=error:stderr",
                "-Xms8m",
                "-Xmx" + limits.heapBytes(),
                // The parsers recurse for deeply nested modules.
                "-Xss1m"));
        command.add("-D" + WasmtimeLocation.LIBRARY + "=" + library(WasmtimeLocation.from(properties, environment)));
        aotCache(properties).ifPresent(file -> command.add("-XX:AOTCache=" + file));
        command.addAll(List.of("-cp", absolute(properties.getProperty("java.class.path"))));
        command.add(PreparationChild.class.getName());
        command.addAll(List.of(Long.toString(limits.memoryBytes()), Long.toString(limits.cpuSeconds())));
        return command;
    }

    /**
     * Returns the path of the library that the server found, or a path that does not exist. Both processes then use the same
     * engine.
     */
    private static Path library(WasmtimeLocation location) {
        return location.find().orElseGet(() -> location.candidates().getFirst()).toAbsolutePath();
    }

    /** Makes the class path absolute, because the working directory of a child differs from that of the server. */
    private static String absolute(String classPath) {
        return String.join(
                File.pathSeparator,
                List.of(classPath.split(File.pathSeparator)).stream()
                        .map(entry -> Path.of(entry).toAbsolutePath().toString())
                        .toList());
    }

    private static Optional<Path> aotCache(Properties properties) {
        return Optional.ofNullable(properties.getProperty("portcullis.home"))
                .map(home -> Path.of(home, "lib", "preparation.aot").toAbsolutePath())
                .filter(Files::isReadable);
    }
}
