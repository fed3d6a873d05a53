package io.portcullis.evaluator.kinds;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.engine.WasmEngines;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Measures CPU time per request of each kind of policy: one thread, fresh instance per request. Run by hand; prints a
 * table.
 */
public final class KindsBenchmark {

    private static final ContextAwareResource NAMESPACE = new ContextAwareResource("v1", "Namespace");
    private static final ContextAwareResource INGRESS = new ContextAwareResource("networking.k8s.io/v1", "Ingress");

    private KindsBenchmark() {}

    public static void main(String[] arguments) {
        var pod = Kinds.create(
                "Pod",
                "default",
                "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'p','labels':{'a':'b'}},'spec':{'containers':["
                        + IntStream.range(0, 12)
                                .mapToObj(
                                        i -> "{'name':'c" + i
                                                + "','image':'registry.example.com/app:1.0','resources':{'limits':{'cpu':'1'}},'env':[{'name':'A','value':'0123456789012345678901234567890123456789'}],'securityContext':{'privileged':false}}")
                                .collect(Collectors.joining(","))
                        + "]}}");
        var service = Kinds.create("Service", "default", "{'spec':{'type':'ClusterIP'}}");
        var ingress = Kinds.create("Ingress", "x", "{'metadata':{'name':'n'},'spec':{'rules':[{'host':'free'}]}}");
        System.out.println("request bytes: " + pod.json().length);
        try (var engine = WasmEngines.best()) {
            var kinds = new Kinds(engine, cluster(), new EvaluationLimits(SizeLimits.DEFAULT, Optional.empty()));
            System.out.println(engine.name());
            measure("waPC", kinds.load("privileged-pods", "{}"), pod, 3000);
            measure("OPA", kinds.load("opa-service-types", "{'types':['NodePort']}"), pod, 3000);
            measure("Gatekeeper", kinds.load("gatekeeper-privileged-containers", "{}"), pod, 3000);
            measure("group of one", group(kinds, "a()", 1), pod, 3000);
            measure("group of three", group(kinds, "a() && b() && c()", 3), pod, 2000);
            measure("OPA, 3,000 namespaces", kinds.load("opa-service-types", "{}", NAMESPACE), service, 300);
            measure("Gatekeeper, 3,000 ingresses", kinds.load("gatekeeper-unique-hosts", "{}", INGRESS), ingress, 100);
            measure("Go WASI", kinds.load("go-namespace-labels", "{}"), pod, 1000);
            System.out.println("RSS kB: " + rss());
            long before = rss();
            for (int i = 0; i < 10; i++) {
                kinds.load("privileged-pods", "{}");
            }
            System.out.println("the same module ten times more, RSS kB: +" + (rss() - before));
        }
    }

    private static LoadedPolicy group(Kinds kinds, String expression, int members) {
        var modules = new LinkedHashMap<String, PolicyEntry.Module>();
        for (int i = 0; i < members; i++) {
            modules.put(Character.toString('a' + i), Kinds.module("gatekeeper-privileged-containers", "{}"));
        }
        return kinds.group(expression, PolicyMode.PROTECT, modules);
    }

    private static HostBackend cluster() {
        var lists = Map.of("Namespace", list("Namespace"), "Ingress", list("Ingress"));
        return (request, _) -> switch (request) {
            case HostRequest.KubernetesListResourceAll all -> lists.get(all.kind());
            case HostRequest.KubernetesGetResourcePluralName _ -> "\"namespaces\"".getBytes(StandardCharsets.UTF_8);
            default -> throw new HostCallException("unexpected " + request);
        };
    }

    private static byte[] list(String kind) {
        return ("{\"items\":["
                        + IntStream.range(0, 3000)
                                .mapToObj(i -> "{\"apiVersion\":\"v1\",\"kind\":\"" + kind
                                        + "\",\"metadata\":{\"name\":\"n" + i
                                        + "\",\"uid\":\"04dc7a5e-e1f1-4e34-8d65-2c9337a43e64\",\"creationTimestamp\":\"2020-11-12T15:18:36Z\",\"labels\":{\"env\":\"test\",\"kubernetes.io/metadata.name\":\"n"
                                        + i + "\"},\"annotations\":{},\"managedFields\":[]"
                                        + (kind.equals("Ingress") ? ",\"namespace\":\"ns\"" : "")
                                        + "},\"spec\":{\"rules\":[{\"host\":\"h" + i
                                        + "\"}]},\"status\":{\"phase\":\"Active\"}}")
                                .collect(Collectors.joining(","))
                        + "]}")
                .getBytes(StandardCharsets.UTF_8);
    }

    private static void measure(String name, LoadedPolicy policy, EvaluationRequest request, int runs) {
        try (policy) {
            var threads = ManagementFactory.getThreadMXBean();
            for (int i = 0; i < runs; i++) {
                policy.validate(request);
            }
            var wall = new long[runs];
            long cpu = threads.getCurrentThreadCpuTime();
            for (int i = 0; i < runs; i++) {
                long start = System.nanoTime();
                policy.validate(request);
                wall[i] = System.nanoTime() - start;
            }
            cpu = threads.getCurrentThreadCpuTime() - cpu;
            Arrays.sort(wall);
            System.out.printf(
                    "%-30s %8.1f µs CPU   p50 %8.1f µs   p95 %8.1f µs   %s%n",
                    name,
                    cpu / 1e3 / runs,
                    wall[runs / 2] / 1e3,
                    wall[runs * 95 / 100] / 1e3,
                    policy.validate(request).status());
        }
    }

    private static long rss() {
        try {
            return Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmRSS"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
