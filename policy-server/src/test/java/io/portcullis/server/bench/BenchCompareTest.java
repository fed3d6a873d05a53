package io.portcullis.server.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCompareTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @TempDir
    private Path directory;

    @Test
    void dividesTheSecondRunByTheFirst() throws IOException {
        var before = directory.resolve("before.json");
        var after = directory.resolve("after.json");
        BenchRow.write(before, List.of(row("rust", 8, 200, 400)));
        BenchRow.write(after, List.of(row("rust", 8, 100, 500), row("opa", 8, 50, 500)));

        assertThat(compare(before.toString(), after.toString())).isZero();

        assertThat(printed(out).lines().toList())
                .hasSize(5)
                .satisfies(lines -> assertThat(lines.get(3)).startsWith("ratio").contains("0.50×", "1.25×"))
                .satisfies(lines -> assertThat(lines.get(4)).startsWith("new").contains("opa"));
    }

    @Test
    void namesAFileThatDoesNotExist() {
        assertThat(compare("none.json", "none.json")).isEqualTo(1);

        assertThat(printed(err)).startsWith("none.json: no such file").contains("bench serve --json");
    }

    @Test
    void namesAFileOfAnotherKind() throws IOException {
        var other =
                Files.writeString(directory.resolve("other.json"), "{\"a\":1}").toString();

        assertThat(compare(other, other)).isEqualTo(1);

        assertThat(printed(err)).isEqualTo(other + ": not a file that ./portcullis bench serve --json wrote\n");
    }

    @Test
    void needsTwoFiles() {
        assertThat(compare("one.json")).isEqualTo(2);

        assertThat(printed(err)).contains("bench compare BEFORE.json AFTER.json");
    }

    private int compare(String... arguments) {
        return BenchCompare.run(List.of(arguments), new PrintStream(out), new PrintStream(err));
    }

    private static String printed(ByteArrayOutputStream stream) {
        return stream.toString(StandardCharsets.UTF_8);
    }

    private static BenchRow row(String policy, int connections, double cpuMicros, double requestsPerSecond) {
        return new BenchRow(policy, connections, requestsPerSecond, 1, 2, 3, cpuMicros, 100, 120);
    }
}
