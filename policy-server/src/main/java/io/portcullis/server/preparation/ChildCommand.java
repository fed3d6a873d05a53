package io.portcullis.server.preparation;

import io.portcullis.wasm.wasmtime.WasmtimeLocation;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The command line of a child process: the JVM, the libraries and the engine of this process, with a small heap. */
final class ChildCommand {

    private ChildCommand() {}

    /** @param properties system properties of the server, {@code environment} its environment, which a child does not get */
    static List<String> of(Properties properties, Map<String, String> environment, PreparationLimits limits) {
        var command = new ArrayList<String>();
        command.add(Path.of(properties.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of(
                "--enable-native-access=ALL-UNNAMED",
                // The AOT cache holds objects with compact headers.
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
                // Deeply nested modules recurse in the readers.
                "-Xss1m"));
        command.add("-D" + WasmtimeLocation.LIBRARY + "=" + library(WasmtimeLocation.from(properties, environment)));
        aotCache(properties).ifPresent(file -> command.add("-XX:AOTCache=" + file));
        command.addAll(List.of("-cp", absolute(properties.getProperty("java.class.path"))));
        command.add(PreparationChild.class.getName());
        command.addAll(List.of(Long.toString(limits.memoryBytes()), Long.toString(limits.cpuSeconds())));
        return command;
    }

    /** Where the server found the library, or where neither of them finds it, so that both run the same engine. */
    private static Path library(WasmtimeLocation location) {
        return location.find().orElseGet(() -> location.candidates().getFirst()).toAbsolutePath();
    }

    /** A child works in another directory than the server. */
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
