package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.review.ResponseWriter;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.review.Verdicts;
import io.portcullis.evaluator.runtime.GuestAnswers;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.evaluator.runtime.ValidationPayload;
import io.portcullis.evaluator.runtime.ValidationResponse;
import io.portcullis.evaluator.testing.SamplePolicy;
import io.portcullis.evaluator.testing.WireExample;
import io.portcullis.evaluator.wapc.WapcInstance.Operation;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Measures the CPU time of one evaluation: in a reused and in a fresh instance, with and without pre-initialisation,
 * and from the body of a review to the body of the response. Uses the CPU time of the thread, because the machine may
 * be busy.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else
public class EvaluateBenchmark {

    @Param({"privileged-pods", "run-as-user", "raw-validation"})
    public String policy;

    @Param({"plain", "prepared"})
    public String module;

    private WasmEngine engine;
    private WapcModule linked;
    private WapcInstance reused;
    private byte[] body;
    private EvaluationRequest request;
    private byte[] settings;

    /** The thread CPU time and the number of calls of one iteration. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Cpu {
        public long nanos;
        public long calls;
        private long start;

        @Setup(Level.Iteration)
        public void start() {
            nanos = 0;
            calls = 0;
            start = threadCpu();
        }

        @TearDown(Level.Iteration)
        public void stop() {
            nanos = threadCpu() - start;
        }

        private static long threadCpu() {
            return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        }
    }

    @Setup
    public void load() {
        engine = WasmEngines.best();
        var sample = switch (policy) {
            case "privileged-pods" -> SamplePolicy.PRIVILEGED_PODS;
            case "run-as-user" -> SamplePolicy.RUN_AS_USER;
            default -> SamplePolicy.RAW_VALIDATION;
        };
        boolean raw = sample == SamplePolicy.RAW_VALIDATION;
        settings = (raw
                        ? "{\"validActions\":[\"eats\"],\"validResources\":[\"hay\"],\"validUsers\":[\"wanda\"]}"
                        : "{}")
                .getBytes(StandardCharsets.UTF_8);
        body = WireExample.named(raw ? "80-raw-allowed" : "01-allowed").requestBody();
        request = read();
        var runtime = new WapcRuntime(_ -> new byte[0]);
        var wasm = module.equals("plain") ? sample.wasm() : runtime.preInitialise(engine, sample.wasm());
        linked = runtime.link(engine.compile(wasm));
        reused = linked.start(context());
    }

    @TearDown
    public void unload() {
        reused.close();
        linked.close();
        engine.close();
    }

    @Benchmark
    public ValidationResponse reused(Cpu cpu) {
        cpu.calls++;
        return switch (reused.call(Operation.VALIDATE, ValidationPayload.of(request, settings))) {
            case GuestResult.Success(var response) -> GuestAnswers.validation(response);
            case GuestResult other -> throw new IllegalStateException(other.toString());
        };
    }

    @Benchmark
    public Object fresh(Cpu cpu) {
        cpu.calls++;
        return linked.evaluate(request, context());
    }

    @Benchmark
    public byte[] bodyToAnswer(Cpu cpu) {
        cpu.calls++;
        var parsed = read();
        var verdict = Verdicts.of(linked.evaluate(parsed, context()), parsed);
        return ResponseWriter.review(verdict.response());
    }

    private EvaluationRequest read() {
        return policy.startsWith("raw") ? Reviews.raw(body) : Reviews.admission(body);
    }

    /**
     * Creates a context with a deadline, as in the server; the reused instance gets the whole time of the benchmark.
     */
    private ModuleContext context() {
        var deadline = Deadline.after(Duration.ofHours(1));
        return new ModuleContext(new Caller("bench", List.of(), Set.of(), deadline), settings, SizeLimits.DEFAULT);
    }

    /** Arguments: seconds per iteration, default 1. */
    public static void main(String[] arguments) throws RunnerException {
        int seconds = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1;
        var options = new OptionsBuilder()
                .include(EvaluateBenchmark.class.getName())
                .forks(1)
                .jvmArgsAppend("--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-Xmx512m")
                .warmupIterations(3)
                .warmupTime(TimeValue.seconds(seconds))
                .measurementIterations(5)
                .measurementTime(TimeValue.seconds(seconds))
                .build();
        print(new Runner(options).run());
    }

    /** The CPU time in µs of the three benchmarks for one policy in one form. */
    private record Row(double reused, double fresh, double bodyToAnswer) {}

    private static void print(Collection<RunResult> results) {
        var rows = results.stream()
                .collect(Collectors.groupingBy(
                        result -> result.getParams().getParam("policy") + " "
                                + result.getParams().getParam("module"),
                        TreeMap::new,
                        Collectors.collectingAndThen(Collectors.toList(), EvaluateBenchmark::row)));
        System.out.printf(
                "%n%-28s %10s %10s %8s %16s   (CPU µs per call)%n",
                "policy module", "reused", "fresh", "ratio", "body to answer");
        rows.forEach((name, row) -> System.out.printf(
                "%-28s %10.1f %10.1f %8.2f %16.1f%n",
                name, row.reused, row.fresh, row.fresh / row.reused, row.bodyToAnswer));
    }

    private static Row row(List<RunResult> results) {
        return new Row(micros(results, "reused"), micros(results, "fresh"), micros(results, "bodyToAnswer"));
    }

    private static double micros(List<RunResult> results, String benchmark) {
        return results.stream()
                .filter(result -> result.getPrimaryResult().getLabel().equals(benchmark))
                .mapToDouble(result -> score(result, "nanos") / score(result, "calls") / 1_000)
                .average()
                .orElse(Double.NaN);
    }

    private static double score(RunResult result, String counter) {
        return Objects.requireNonNull(result.getSecondaryResults().get(counter)).getScore();
    }
}
