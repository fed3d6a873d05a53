package io.portcullis.process.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProgramTest {

    private static final Flag<Integer> PORT =
            Flag.number("--port", "APP_PORT", 0, 65535, "The port.").withDefault("3000");
    private static final Flag<Boolean> METRICS = Flag.onOff("--enable-metrics", "APP_METRICS", "Push metrics.");
    private static final Flag<InetAddress> ADDRESS =
            Flag.address("--addr", "APP_ADDR", "The address.").withDefault("0.0.0.0");
    private static final Flag<Duration> LAG =
            Flag.duration("--lag", "APP_LAG", "How long.").withDefault("5s");

    private static final Flag<String> OUTPUT = Flag.text("--output", "", "FILE", "The file.");
    private static final Flag<String> SECRET =
            Flag.text("--secret", "", "X", "For tests.").hidden();

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Arguments> seen = new ArrayList<>();

    private int run(Map<String, String> environment, String... arguments) throws InterruptedException {
        var program = new Program(
                        "app", "Does things.", List.of("app 1.2.3"), List.of(PORT, METRICS, ADDRESS, LAG), parsed -> {
                            seen.add(parsed);
                            parsed.get(PORT);
                            parsed.get(METRICS);
                            parsed.get(ADDRESS);
                            parsed.get(LAG);
                            return ExitCode.OK;
                        })
                .withCommand("docs", "Writes the reference.", List.of(OUTPUT, SECRET), parsed -> {
                    seen.add(parsed);
                    return ExitCode.OK;
                });
        return program.run(
                arguments,
                environment,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
    }

    @Test
    void prefersTheCommandLineOverTheEnvironmentOverTheDefault() throws InterruptedException {
        run(Map.of());
        run(Map.of("APP_PORT", "1"));
        run(Map.of("APP_PORT", "1"), "--port", "2");

        assertThat(seen).extracting(parsed -> parsed.get(PORT)).containsExactly(3000, 1, 2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "1", "yes", "on", "TRUE"})
    void parsesAllFormsThatTurnSwitchesOn(String word) throws InterruptedException {
        run(Map.of("APP_METRICS", word));
        run(Map.of(), "--enable-metrics=" + word);
        run(Map.of(), "--enable-metrics");

        assertThat(seen).hasSize(3).allMatch(parsed -> parsed.get(METRICS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"false", "0", "no", "off", ""})
    void parsesAllFormsThatTurnSwitchesOff(String word) throws InterruptedException {
        run(Map.of("APP_METRICS", word));

        assertThat(seen).hasSize(1).noneMatch(parsed -> parsed.get(METRICS));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--prot=1 | error: unexpected argument '--prot=1', did you mean '--port'?",
                "--port=abc | error: invalid value 'abc' for the option '--port': expected a whole number from 0 to 65535",
                "--port=70000 | error: invalid value '70000' for the option '--port': expected a whole number from 0 to 65535",
                "--addr=localhost | error: invalid value 'localhost' for the option '--addr': expected an IP address",
                "--enable-metrics=maybe | error: invalid value 'maybe' for the option '--enable-metrics': expected true or false",
                "--lag=soon | error: invalid value 'soon' for the option '--lag': expected a duration such as 500ms, 2s or 1m",
            })
    void reportsUsageErrorsInOneLineWithExitCodeTwo(String argument, String line) throws InterruptedException {
        var code = run(Map.of(), argument);

        assertThat(code).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(line + System.lineSeparator());
    }

    @Test
    void usesTheLastValueOfARepeatedFlag() throws InterruptedException {
        run(Map.of(), "--port=1", "--enable-metrics", "--port=2", "--enable-metrics=false");

        assertThat(seen.getFirst().get(PORT)).isEqualTo(2);
        assertThat(seen.getFirst().get(METRICS)).isFalse();
        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void reportsTheNameOfABadVariable() throws InterruptedException {
        var code = run(Map.of("APP_PORT", "x"));

        assertThat(code).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("the environment variable APP_PORT");
    }

    @Test
    void readsAddressesOfBothKinds() throws InterruptedException {
        run(Map.of(), "--addr", "[::1]");
        run(Map.of(), "--addr", "127.0.0.1");

        assertThat(seen)
                .extracting(parsed -> parsed.get(ADDRESS).isLoopbackAddress())
                .containsExactly(true, true);
    }

    @Test
    void printsVersionAndHelp() throws InterruptedException {
        assertThat(run(Map.of(), "-V")).isZero();
        assertThat(run(Map.of(), "--help")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).contains("app 1.2.3", "--port", "APP_PORT", "3000");
    }

    @Test
    void listsEachFlagWithItsTextBelow() throws InterruptedException {
        assertThat(run(Map.of(), "-h")).isZero();

        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("""
                Does things.

                Usage: app [OPTIONS] [COMMAND]

                Commands:
                  docs  Writes the reference.

                Options:
                      --addr <IP>
                          The address. [env: APP_ADDR] [default: 0.0.0.0]

                      --enable-metrics
                          Push metrics. [env: APP_METRICS]

                  -h, --help
                          Print this text and exit.

                      --lag <DURATION>
                          How long. [env: APP_LAG] [default: 5s]

                      --port <N>
                          The port. [env: APP_PORT] [default: 3000]

                  -V, --version
                          Print the version and exit.
                """);
    }

    @Test
    void runsTheCommandThatTheFirstArgumentNames() throws InterruptedException {
        assertThat(run(Map.of(), "docs", "-o", "page.md")).isZero();
        assertThat(run(Map.of(), "docs", "--output=page.md", "--secret", "x")).isZero();
        assertThat(run(Map.of(), "docs", "--help")).isZero();

        assertThat(seen).extracting(parsed -> parsed.get(OUTPUT)).containsExactly("page.md", "page.md");
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("Usage: app docs [OPTIONS]\n", "-o, --output <FILE>")
                .doesNotContain("--version", "--secret");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "doc | error: unexpected argument 'doc', did you mean 'docs'?",
                "other | error: unexpected argument 'other'",
                "--port 1 docs | error: unexpected argument 'docs'",
                "docs --port=1 | error: unexpected argument '--port=1'",
                "--port | error: a value is required for '--port <N>' but none was supplied",
                "--port --addr ::1 | error: a value is required for '--port <N>' but none was supplied",
                "-x | error: unexpected argument '-x'",
            })
    void rejectsWhatIsNeitherFlagNorCommand(String arguments, String line) throws InterruptedException {
        assertThat(run(Map.of(), arguments.split(" ", -1))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualTo(line + System.lineSeparator());
    }

    @Test
    void takesTheWordAfterASwitchAsItsValue() throws InterruptedException {
        run(Map.of(), "--enable-metrics", "false", "--port", "1");
        run(Map.of(), "--enable-metrics", "--port", "1");

        assertThat(seen).extracting(parsed -> parsed.get(METRICS)).containsExactly(false, true);
    }

    @ParameterizedTest
    @CsvSource({"10s,10000", "500ms,500", "1m30s,90000", "2.5s,2500", "7,7000"})
    void readsDurationsAsTheApiServerWritesThem(String text, long millis) {
        assertThat(Durations.parse(text)).isEqualTo(Duration.ofMillis(millis));
    }
}
