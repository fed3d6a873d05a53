package io.portcullis.kwctl.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BenchTest {

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"12.3,12.30ns", "12340,12.34µs", "5020000,5.02ms", "3000000000,3.00s"})
    void rendersDurationsWithTheUnitThatFits(double nanos, String text) {
        assertThat(BenchText.duration(nanos)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"100,100.0", "404000,404.0 thousand", "2500000,2.5M"})
    void rendersCounts(long value, String text) {
        assertThat(BenchText.count(value)).isEqualTo(text);
    }

    @Test
    void rendersTheWholeMeasurement() {
        var measured = new Measurement(new double[] {1000, 3000, 2000}, 6, Duration.ofMillis(12));

        assertThat(BenchText.result("validate", measured)).isEqualTo("""
                        validate [6.0 iterations in 12.00ms with 3.0 samples]:
                        \telapsed\t[min mean max]:\t[1.00µs 2.00µs 3.00µs] (sample data: med = 2.00µs, var = 1.00ms², stddev = 1.00µs)
                        """);
    }

    @Test
    void runsEverySampleAtLeastOnce() {
        var runs = new AtomicLong();

        var measured =
                Measurement.of(runs::incrementAndGet, new BenchSettings(Duration.ZERO, Duration.ZERO, 4), _ -> {});

        assertThat(measured.iterations()).isEqualTo(1 + 2 + 3 + 4);
        assertThat(runs).hasValue(1 + measured.iterations());
    }

    @Test
    void measuresAPolicy() {
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
        var kwctl = new KwctlRunner(directory);

        var result = kwctl.run(
                "bench",
                "--warm-up-time",
                "0",
                "--measurement-time",
                "0",
                "--num-samples",
                "2",
                "-r",
                "r.json",
                SamplePolicies.PRIVILEGED_PODS);

        assertThat(result.out())
                .startsWith("validate_settings warming up for 0.00ns\nvalidate_settings mean warm up execution time ")
                .contains(
                        "\nvalidate_settings [",
                        "\nvalidate warming up for 0.00ns\nvalidate mean warm up ",
                        "\nvalidate [");
        assertThat(result.code()).isZero();
        assertThat(kwctl.run("bench", "--num-samples", "x", "-r", "r.json", SamplePolicies.OPA)
                        .err())
                .startsWith("Error: Cannot convert 'num-samples'");
        assertThat(kwctl.run(
                                "bench",
                                "-r",
                                "r.json",
                                "--settings-json",
                                "{\"runAsUser\":\"x\"}",
                                SamplePolicies.RUN_AS_USER)
                        .err())
                .startsWith("Error: [Policy policy-from-cli (" + SamplePolicies.RUN_AS_USER
                        + ")] - provided settings are not valid");
    }

    @Test
    void reportsForMachinesAndFailsWhenItTakesTooLong() throws Exception {
        var kwctl = new KwctlRunner(directory);
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
        String[] line = {
            "bench",
            "--measurement-time",
            "0",
            "--warm-up-time",
            "0",
            "--num-samples",
            "2",
            "-r",
            "r.json",
            SamplePolicies.PRIVILEGED_PODS,
            "-o",
            "json",
            "--max-mean",
            "60s"
        };

        var report = new JsonMapper().readTree(kwctl.run(line).out());
        assertThat(report).hasSize(2);
        assertThat(report.at("/1/label").asText()).isEqualTo("validate");
        assertThat(report.at("/1/nanoseconds/p99").asDouble())
                .isPositive()
                .isEqualTo(report.at("/1/nanoseconds/max").asDouble());

        line[line.length - 1] = "1ns";
        assertThat(kwctl.run(line))
                .satisfies(result -> assertThat(result.code()).isEqualTo(1))
                .satisfies(result -> assertThat(result.err())
                        .contains("judging the request takes ", " on average, more than 1.00ns"));
        line[line.length - 1] = "soon";
        assertThat(kwctl.run(line).err()).contains("Error: Cannot convert 'max-mean': 'soon'");
    }

    /** Covers a mutating policy, a raw policy, a group, and Rego, which has no settings to validate. */
    @ParameterizedTest
    @ValueSource(strings = {"run-as-user", "raw-mutation", "opa-service-types", "group.yaml"})
    void measuresEveryKindOfPolicy(String name) {
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
        SamplePolicies.write(directory.resolve("group.yaml"), """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicyGroup
                metadata: {name: g}
                spec:
                  expression: a()
                  message: no
                  policies: {a: {module: "file://%s"}}
                """.formatted(SamplePolicies.PRIVILEGED_PODS));
        var settings = name.equals("raw-mutation")
                ? "{\"forbiddenResources\":[\"secret\"],\"defaultResource\":\"public\"}"
                : "{}";
        var policy = name.endsWith(".yaml") ? name : SamplePolicies.path(name + "/policy.wasm");

        var result = new KwctlRunner(directory)
                .run(
                        "bench",
                        "--warm-up-time",
                        "0",
                        "--measurement-time",
                        "0",
                        "--num-samples",
                        "2",
                        "-r",
                        "r.json",
                        "--settings-json",
                        settings,
                        policy);

        assertThat(result.out())
                .as(result.err())
                .contains("validate_settings [3.0 iterations", "validate [3.0 iterations");
        assertThat(result.code()).isZero();
    }

    @Test
    void comparesWithThePreviousRun() {
        SamplePolicies.write(directory.resolve("r.json"), SamplePolicies.podRequest(true));
        var kwctl = new KwctlRunner(directory);
        String[] line = {
            "bench",
            "--dump-results-to-disk=true",
            "--warm-up-time",
            "0",
            "--measurement-time",
            "0",
            "--num-samples",
            "3",
            "--num-resamples",
            "100",
            "-r",
            "r.json",
            SamplePolicies.PRIVILEGED_PODS
        };

        assertThat(kwctl.run(line).out()).doesNotContain("change");
        assertThat(kwctl.run(line).out())
                .containsPattern("\\tchange\\t\\[min mean max]:\\t\\[.*%] \\(p = [01]\\.\\d\\d\\)");
        assertThat(directory.resolve("target/tiny-bench/validate/old-sample"))
                .content()
                .hasLineCount(3);
        assertThat(directory.resolve("target/tiny-bench/validate/current-sample"))
                .content()
                .hasLineCount(3);
    }

    @Test
    void distinguishesRealChangesFromNoise() {
        var before = new double[] {100, 101, 99, 100, 102, 98, 100, 101};
        var slower = Arrays.stream(before).map(value -> value * 1.2).toArray();

        var regression = Change.between(before, slower, 2_000, new Random(1));
        var noise = Change.between(before, before, 2_000, new Random(1));

        assertThat(regression.isSignificant()).isTrue();
        assertThat(regression.mean()).isCloseTo(0.2, within(1e-9));
        assertThat(regression.min()).isLessThan(regression.mean());
        assertThat(regression.max()).isGreaterThan(regression.mean());
        assertThat(noise.isSignificant()).isFalse();
    }
}
