package io.portcullis.evaluator.loading;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.evaluator.testing.Loaders;
import io.portcullis.evaluator.testing.SamplePolicy;
import io.portcullis.evaluator.testing.WireExample;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs well-behaved and misbehaving policies concurrently on several threads and checks every answer. {@code main} runs
 * the full count; {@code MixedLoadTest} runs a smaller one.
 */
public final class MixedLoad implements AutoCloseable {

    private static final int THREADS = 2;

    /** A request and its expected answer: the verdict and the start of the message. */
    private record Question(LoadedPolicy policy, EvaluationRequest request, boolean allowed, String message) {

        Optional<String> wrongAnswer() {
            var answer = policy.audit(request).response();
            var text =
                    answer.status().flatMap(AdmissionResponse.Status::message).orElse("");
            return answer.allowed() == allowed
                            && text.startsWith(message)
                            && answer.uid().equals(request.uid())
                    ? Optional.empty()
                    : Optional.of("expected " + allowed + " " + message + ", got " + answer);
        }
    }

    private final WasmEngine engine = WasmEngines.best();
    private final WasmPolicyLoader loader = Loaders.wapc(engine);
    private final List<LoadedPolicy> policies = new ArrayList<>();
    private final List<Question> questions = new ArrayList<>();

    public MixedLoad() {
        var allowedRequest = Reviews.admission(WireExample.named("01-allowed").requestBody());
        var rejectedRequest = Reviews.admission(WireExample.named("02-rejected").requestBody());
        var privileged = load("priv", SamplePolicy.PRIVILEGED_PODS.wasm(), Duration.ofSeconds(20));
        var mutating = load("user", SamplePolicy.RUN_AS_USER.wasm(), Duration.ofSeconds(20));
        for (int i = 0; i < 5; i++) {
            questions.add(new Question(privileged, allowedRequest, true, ""));
            questions.add(new Question(privileged, rejectedRequest, false, "Privileged container is not allowed"));
            questions.add(new Question(mutating, allowedRequest, true, ""));
            misbehaving("counter", true, "memory=0 global=0");
        }
        var failure = "internal server error: Guest call failure: ";
        var invalid = "internal server error: invalid response from policy: ";
        misbehaving("endless-loop", false, "Policy execution interrupted");
        misbehaving("sleeper", false, "Policy execution interrupted");
        misbehaving("no-response", false, failure + "No error message OR response set");
        misbehaving("no-error", false, failure + "No error message set");
        misbehaving("empty-response", false, invalid + "EOF");
        misbehaving("invalid-utf8-response", false, invalid);
        misbehaving("invalid-utf8-error", false, failure);
        misbehaving("invalid-utf8-log", false, failure);
        misbehaving("pointer-response", false, failure);
        misbehaving("pointer-request", false, failure);
        misbehaving("pointer-host-call", false, failure);
        misbehaving("huge-response", false, failure + "guest hands over");
        misbehaving("trap-in-validate", false, failure);
        misbehaving("deep-recursion", false, failure);
        misbehaving("exit-zero-in-validate", false, failure);
        misbehaving("exit-zero-in-start", true, "");
        misbehaving("memory-bomb", true, "");
    }

    private void misbehaving(String guest, boolean allowed, String message) {
        boolean endless = guest.equals("endless-loop") || guest.equals("sleeper");
        var policy =
                load(guest, SamplePolicy.misbehaving(guest), endless ? Duration.ofMillis(20) : Duration.ofSeconds(20));
        var request = new EvaluationRequest.Raw("uid of " + guest, "{}".getBytes(StandardCharsets.UTF_8));
        questions.add(new Question(policy, request, allowed, message));
    }

    private LoadedPolicy load(String id, byte[] wasm, Duration timeout) {
        var module =
                new PolicyEntry.Module(id, Loaders.module("{}").settings(), Set.of(), Optional.of(timeout), List.of());
        var policy =
                loader.load(id, new PolicyEntry.Single(module, PolicyMode.PROTECT, true, Optional.empty()), _ -> wasm);
        policies.add(policy);
        return policy;
    }

    /** @return descriptions of the wrong answers */
    public List<String> run(int count) throws InterruptedException {
        var wrong = new ConcurrentLinkedQueue<String>();
        var next = new AtomicInteger();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(Thread.ofPlatform().start(() -> {
                for (int n = next.getAndIncrement(); n < count; n = next.getAndIncrement()) {
                    questions.get(n % questions.size()).wrongAnswer().ifPresent(wrong::add);
                }
            }));
        }
        for (var thread : threads) {
            thread.join();
        }
        return List.copyOf(wrong);
    }

    /** Returns the resident memory outside the Java heap, in MiB. */
    public static long nativeMebibytes() {
        try {
            System.gc();
            var resident = Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .findFirst()
                    .orElse(0L);
            var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted();
            return (resident >> 10) - (heap >> 20);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        policies.forEach(LoadedPolicy::close);
        loader.close();
        engine.close();
    }

    public static void main(String[] arguments) throws InterruptedException {
        int count = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 10_000;
        try (var load = new MixedLoad()) {
            load.run(count / 10);
            long before = nativeMebibytes();
            var wrong = load.run(count);
            System.out.printf(
                    "%,d mixed requests: %d wrong answers, native memory %d → %d MiB%n",
                    count, wrong.size(), before, nativeMebibytes());
            wrong.stream().distinct().limit(10).forEach(System.out::println);
        }
    }
}
