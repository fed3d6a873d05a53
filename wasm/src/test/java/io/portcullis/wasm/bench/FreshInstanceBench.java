package io.portcullis.wasm.bench;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import io.portcullis.wasm.preinit.Initialisation;
import io.portcullis.wasm.preinit.PreInitialiser;
import io.portcullis.wasm.testing.WapcCall;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * CPU time of one evaluation of a real policy: in a reused instance, in a fresh pre-initialised one, in a fresh plain
 * one. The variants take turns in short rounds of one run and the median round counts, so that the ratios hold on a
 * busy machine.
 *
 * <p>Usage: {@code FreshInstanceBench [policy.wasm] [rounds]}
 */
public final class FreshInstanceBench {

    private static final int CALLS_PER_ROUND = 500;

    private FreshInstanceBench() {}

    public static void main(String[] arguments) throws IOException {
        var policy = Path.of(arguments.length > 0 ? arguments[0] : "../policies/privileged-pods/policy.wasm");
        var rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 60;
        var wasm = Files.readAllBytes(policy);
        var review = review();
        try (var engine = WasmEngines.best()) {
            var prepared = new PreInitialiser(engine, SizeLimits.DEFAULT)
                    .prepare(
                            wasm,
                            Initialisation.wapc(WapcCall.imports(), new WapcCall("none", "")),
                            Duration.ofSeconds(5));
            try (var plain = link(engine, wasm);
                    var initialised = link(engine, prepared.wasm())) {
                var variants = new LinkedHashMap<String, Runnable>();
                variants.put("reused instance", reused(initialised, review));
                variants.put("fresh, pre-initialised", () -> fresh(initialised, review));
                variants.put("fresh, plain", () -> fresh(plain, review));
                print(engine, review, measure(variants, rounds));
            }
        }
    }

    private static void print(WasmEngine engine, String review, Map<String, Double> micros) {
        var base = micros.values().iterator().next();
        System.out.printf("%s, review of %d bytes, CPU per evaluation:%n", engine.name(), review.length());
        micros.forEach((name, value) -> System.out.printf("  %-24s %7.1f us  %5.2fx%n", name, value, value / base));
    }

    private static Map<String, Double> measure(Map<String, Runnable> variants, int rounds) {
        var threads = ManagementFactory.getThreadMXBean();
        var variantList = List.copyOf(variants.values());
        var samples = new double[variantList.size()][rounds];
        for (var round = -rounds / 2; round < rounds; round++) {
            for (var index = 0; index < samples.length; index++) {
                var before = threads.getCurrentThreadCpuTime();
                for (var call = 0; call < CALLS_PER_ROUND; call++) {
                    variantList.get(index).run();
                }
                if (round >= 0) {
                    var nanos = threads.getCurrentThreadCpuTime() - before;
                    samples[index][round] = nanos / 1_000.0 / CALLS_PER_ROUND;
                }
            }
        }
        var medians = new LinkedHashMap<String, Double>();
        var names = List.copyOf(variants.keySet());
        for (var index = 0; index < samples.length; index++) {
            Arrays.sort(samples[index]);
            medians.put(names.get(index), samples[index][rounds / 2]);
        }
        return medians;
    }

    private static Runnable reused(LinkedModule module, String review) {
        var call = new WapcCall("validate", review);
        var instance = module.instantiate(SizeLimits.DEFAULT, Deadline.after(Duration.ofHours(1)), call);
        return () -> check(call.run(instance), call);
    }

    private static void fresh(LinkedModule module, String review) {
        var call = new WapcCall("validate", review);
        try (var instance = module.instantiate(SizeLimits.DEFAULT, Deadline.after(Duration.ofSeconds(10)), call)) {
            if (instance.exports("_start")) {
                instance.call("_start");
            }
            if (instance.exports("wapc_init")) {
                instance.call("wapc_init");
            }
            check(call.run(instance), call);
        }
    }

    private static void check(long result, WapcCall call) {
        if (result != 1 || call.responseBytes().length == 0) {
            throw new IllegalStateException("the policy failed: " + call.error());
        }
    }

    private static LinkedModule link(WasmEngine engine, byte[] wasm) {
        try (var module = engine.compile(wasm)) {
            return module.link(WapcCall.imports());
        }
    }

    /** A pod of five containers, about as large as real ones. */
    private static String review() {
        var containers = IntStream.range(0, 5)
                .mapToObj(index -> """
                        {"name":"container-%d","image":"registry.example.com/team/service-%d:1.2.3","imagePullPolicy":"IfNotPresent",\
                        "resources":{"limits":{"cpu":"500m","memory":"512Mi"},"requests":{"cpu":"100m","memory":"128Mi"}},\
                        "ports":[{"containerPort":8080,"protocol":"TCP"}],"env":[{"name":"LEVEL","value":"info"}],\
                        "volumeMounts":[{"mountPath":"/var/run/secrets","name":"token","readOnly":true}],\
                        "securityContext":{"privileged":false,"runAsNonRoot":true,"allowPrivilegeEscalation":false},\
                        "terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}""".formatted(index, index))
                .collect(Collectors.joining(","));
        return """
                {"request":{"uid":"705ab4f5-6393-11e8-b7cc-42010a800002","kind":{"group":"","version":"v1","kind":"Pod"},\
                "resource":{"group":"","version":"v1","resource":"pods"},"name":"my-pod","namespace":"my-namespace",\
                "operation":"CREATE","userInfo":{"username":"admin","uid":"014fbff9a07c","groups":["system:authenticated"]},\
                "object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"my-pod","namespace":"my-namespace",\
                "labels":{"app":"my-app","team":"my-team"}},"spec":{"containers":[%s],"restartPolicy":"Always",\
                "volumes":[{"name":"token","emptyDir":{}}]}},"dryRun":false},"settings":{}}""".formatted(containers);
    }
}
