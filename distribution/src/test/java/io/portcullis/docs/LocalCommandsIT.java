package io.portcullis.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.docs.ShellBlock.Place;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Types what pages say that can be typed without a cluster, into the real launcher. Each page has a directory and a network of its
 * own: ports that pages name are free there, and {@code localhost:5000} is a registry.
 */
@NeedsTools("registry")
class LocalCommandsIT {

    private static final Duration LIMIT = Duration.ofMinutes(4);

    static Stream<Path> pages() {
        return Page.all().stream()
                .filter(page -> ShellBlock.of(page).stream().anyMatch(block -> block.runsAt(Place.LOCAL)))
                .map(Page::path);
    }

    @ParameterizedTest
    @MethodSource("pages")
    void commandsOfThePagesWork(Path path, @TempDir Path directory) throws IOException {
        var page = Page.read(path);
        furnish(directory);
        var script = new StringBuilder(prologue(directory));
        for (var block : ShellBlock.of(page)) {
            if (block.runsAt(Place.LOCAL)) {
                script.append("echo '--- ").append(block.at()).append("' >&2\n");
                script.append("(\n").append(block.script()).append(")\n");
            }
        }
        var outcome = ShellCommand.of("unshare", "--net", "bash", "-e", "-o", "pipefail", "-c", script.toString())
                .with("PORTCULLIS_BUILT", "yes")
                .with("HOME", directory.resolve("home").toString())
                .with("XDG_CACHE_HOME", directory.resolve("home/.cache").toString())
                .with("PORTCULLIS_TOOLS", toolsCache().toString())
                .within(LIMIT)
                .attempt();
        assertThat(outcome.exitCode())
                .as("%s: %s%n%s", page.path(), outcome.output(), outcome.errors())
                .isZero();
    }

    /** What a reader has around: the entry point and the directories that pages name, of which examples may be changed. */
    private static void furnish(Path directory) throws IOException {
        var root = Checkout.current().root();
        for (String name : List.of("policies", "charts")) {
            Files.createSymbolicLink(directory.resolve(name), root.resolve(name));
        }
        ShellCommand.of("cp", "-r", root.resolve("examples").toString(), directory.toString())
                .run();
        var entry = Files.writeString(
                directory.resolve("portcullis"), "#!/bin/sh\nexec '" + root.resolve("portcullis") + "' \"$@\"\n");
        Files.setPosixFilePermissions(entry, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createDirectories(directory.resolve("home"));
        Files.writeString(directory.resolve("registry.yml"), """
            version: 0.1
            log: {level: warn, accesslog: {disabled: true}}
            storage: {filesystem: {rootdirectory: "%s"}}
            http: {addr: "127.0.0.1:5000"}
            """.formatted(directory.resolve("blobs")));
    }

    private static String prologue(Path directory) {
        return """
            cd '%s'
            ip link set lo up
            OTEL_TRACES_EXPORTER=none '%s' serve registry.yml >registry.log 2>&1 &
            trap "kill $!" EXIT
            until curl -sf http://127.0.0.1:5000/v2/ >/dev/null; do sleep 0.1; done
            """.formatted(directory, Tools.current().path("registry"));
    }

    /** Pages have a home of their own; tools are not built again for it. */
    private static Path toolsCache() {
        return Tools.current().path("registry").resolve("../../..").normalize();
    }
}
