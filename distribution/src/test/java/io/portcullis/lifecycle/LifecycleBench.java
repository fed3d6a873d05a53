package io.portcullis.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.LocalCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.hostpods.HostPod;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * How fast policies change on three replicas, and what it costs: {@code ./portcullis bench lifecycle}. The controller,
 * the replicas and the registry are processes of this machine; the API server is real and calls the webhooks.
 */
public final class LifecycleBench {

    private static final List<String> SECTIONS = List.of("settings", "modules", "load", "at-once", "many");
    private static final int REPLICAS = 3;
    private static final int CHANGES = 40;
    private static final int MODULES = 20;
    private static final int CHANGES_UNDER_LOAD = 100;
    private static final int REQUESTS_PER_SECOND = 50;
    private static final int AT_ONCE = 200;
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final String WATCHED = "bench-watched";
    private static final String POLICY = "bench";

    private final KubernetesClient client;
    private final Installation installation;
    private final Policies policies;
    private final Stages stages;
    private final PrintStream out;

    private LifecycleBench(TestCluster cluster, Installation installation, Stages stages, PrintStream out) {
        this.client = cluster.client();
        this.installation = installation;
        this.policies = new Policies(client);
        this.stages = stages;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        int many = 2000;
        var sections = SECTIONS;
        for (int i = 0; i < arguments.length; i += 2) {
            var value = i + 1 < arguments.length ? arguments[i + 1] : "";
            if (arguments[i].equals("--policies") && value.matches("[1-9][0-9]{0,4}")) {
                many = Integer.parseInt(value);
            } else if (arguments[i].equals("--only") && SECTIONS.containsAll(List.of(value.split(",")))) {
                sections = List.of(value.split(","));
            } else {
                System.err.printf(
                        "%s %s: not understood; usage: bench lifecycle [--policies N] [--only %s]%n",
                        arguments[i], value, String.join(",", SECTIONS));
                System.exit(2);
            }
        }
        var run = Files.createTempDirectory("lifecycle-bench");
        var local = new LocalCluster(Checkout.current(), run.resolve("cluster"));
        local.prepare(Level.API);
        local.up(Level.API, 1);
        try (var cluster = TestCluster.open(local, Level.API, "bench");
                var installation = Installation.start(cluster, run, List.of());
                var stages = new Stages(cluster.client(), cluster.namespace(), POLICY, REPLICAS)) {
            new LifecycleBench(cluster, installation, stages, System.out).measure(cluster, sections, many);
        } finally {
            local.down();
        }
    }

    private void measure(TestCluster cluster, List<String> sections, int many) throws Exception {
        var module = installation.push("privileged-pods", "v1");
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(WATCHED)
                .endMetadata()
                .build());
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("default")
                .withNamespace(WATCHED)
                .endMetadata()
                .build());
        client.resource(Policies.server(
                        "default", REPLICAS, installation.registry().host()))
                .create();
        await(
                () -> installation.pods().all().size() == REPLICAS
                        && installation.pods().all().stream().allMatch(HostPod::isReady),
                LIMIT);
        client.resource(Policies.privilegedPods(POLICY, "default", module, "start", WATCHED))
                .create();
        awaitWebhook(POLICY, 1);

        out.printf("%-70s %.1f s (bar 5)%n", "controller: first start → ready", seconds(installation.startTook()));
        installation.restartController();
        out.printf("%-70s %.1f s (bar 5)%n", "controller: start → ready", seconds(installation.startTook()));
        for (var section : sections) {
            switch (section) {
                case "settings" -> settings();
                case "modules" -> modules();
                case "load" -> underLoad();
                case "at-once" -> atOnce(module);
                default -> manyPolicies(module, many);
            }
        }
    }

    private void settings() throws Exception {
        var times = new ArrayList<Change>();
        for (int i = 0; i < CHANGES; i++) {
            int number = i;
            times.add(change(spec -> spec.putObject("settings").put("skip_init_containers", number % 2 == 0)));
        }
        print("settings changed → served by 3 replicas, webhook moved", times, Duration.ofSeconds(1));
    }

    private void modules() throws Exception {
        var urls = IntStream.range(0, MODULES)
                .mapToObj(i -> installation.pushVariant("privileged-pods", "bench-" + i, i))
                .toList();
        var times = new ArrayList<Change>();
        for (var url : urls) {
            times.add(change(spec -> spec.put("module", url)));
        }
        print("new module in the registry → served by 3 replicas, webhook moved", times, Duration.ofSeconds(3));
    }

    private Change change(Consumer<ObjectNode> change) throws Exception {
        var start = System.nanoTime();
        long generation = policies.edit(POLICY, change).getMetadata().getGeneration();
        var stored = System.nanoTime();
        awaitWebhook(POLICY, generation);
        stages.arrived(generation, start);
        var end = System.nanoTime();
        return new Change(Duration.ofNanos(end - start), Duration.ofNanos(end - stored));
    }

    /**
     * How long a change took.
     *
     * @param asked since the user asked for it; the API server asks the controller whether it may be
     * @param stored since the API server has it
     */
    private record Change(Duration asked, Duration stored) {}

    private void underLoad() throws Exception {
        var load = Load.start(installation.requests(WATCHED), REQUESTS_PER_SECOND);
        for (int i = 0; i < CHANGES_UNDER_LOAD; i++) {
            var message = "change-" + i;
            change(spec -> spec.put("message", message));
        }
        var wrong = load.finish();
        out.printf(
                "%-70s %d requests, %s (bar: none fails or is wrongly decided)%n",
                CHANGES_UNDER_LOAD + " changes under " + REQUESTS_PER_SECOND + " requests/s",
                load.answered(),
                wrong.isEmpty() ? "all right" : wrong.getFirst());
        wrong.stream().skip(1).limit(5).forEach(line -> out.println("    " + line));
    }

    private void atOnce(String module) throws Exception {
        settle();
        var before = ApiWrites.now(client);
        var start = System.nanoTime();
        create("at-once-", AT_ONCE, module);
        awaitActive("at-once-", AT_ONCE);
        var took = Duration.ofNanos(System.nanoTime() - start);
        var writes = ApiWrites.now(client).since(before);
        out.printf("%-70s %.1f s (bar 60)%n", AT_ONCE + " policies created at once → all active", seconds(took));
        long events = writes.counts().entrySet().stream()
                .filter(count -> count.getKey().endsWith(" events"))
                .mapToLong(Map.Entry::getValue)
                .sum();
        out.printf(
                "%-70s %.1f (bar 12), and %.1f Events   %s%n",
                "API writes per policy created, " + REPLICAS + " replicas",
                (double) (writes.total() - events) / AT_ONCE,
                (double) events / AT_ONCE,
                writes.counts());
    }

    private void manyPolicies(String module, int many) throws Exception {
        var start = System.nanoTime();
        create("many-", many, module);
        awaitActive("many-", many);
        out.printf(
                "%-70s %.0f s%n",
                many + " policies created → all active", seconds(Duration.ofNanos(System.nanoTime() - start)));
        settle();
        var writes = ApiWrites.now(client);
        var cpu = controllerCpu();
        rest(Duration.ofSeconds(60));
        var idle = controllerCpu().minus(cpu);
        out.printf(
                "%-70s %d writes (bar 0) %s, controller %d ms CPU%n",
                many + " policies, idle 60 s",
                ApiWrites.now(client).since(writes).total(),
                ApiWrites.now(client).since(writes).counts(),
                idle.toMillis());
        writes = ApiWrites.now(client);
        cpu = controllerCpu();
        for (int i = 0; i < CHANGES; i++) {
            var message = "late-" + i;
            change(spec -> spec.put("message", message));
        }
        out.printf(
                "%-70s %.1f ms CPU of the controller (bar 50), %.1f writes of all %s%n",
                many + " policies, one change",
                (double) controllerCpu().minus(cpu).toMillis() / CHANGES,
                (double) ApiWrites.now(client).since(writes).total() / CHANGES,
                ApiWrites.now(client).since(writes).counts());
    }

    /** Half a minute at least, and until nothing is written any more: earlier generations have been drained, PolicyAffected is published. */
    private void settle() throws InterruptedException {
        for (int i = 0; i < 40; i++) {
            var before = ApiWrites.now(client);
            rest(Duration.ofSeconds(5));
            if (i > 6 && ApiWrites.now(client).since(before).total() == 0) {
                return;
            }
        }
    }

    private Duration controllerCpu() {
        return ProcessHandle.of(installation.controller().pid())
                .flatMap(handle -> handle.info().totalCpuDuration())
                .orElseThrow();
    }

    private void create(String prefix, int count, String module) {
        IntStream.range(0, count)
                .parallel()
                .forEach(i -> client.resource(
                                Policies.privilegedPods(prefix + i, "default", module, "m" + i, "bench-nowhere"))
                        .create());
    }

    private void awaitActive(String prefix, int count) throws Exception {
        Set<String> active = ConcurrentHashMap.newKeySet();
        try (var _ = client.resources(ClusterAdmissionPolicy.class).inform(new Watching<>(policy -> {
            var status = policy.getStatus();
            if (policy.getMetadata().getName().startsWith(prefix)
                    && status != null
                    && status.policyStatus() == PolicyState.ACTIVE) {
                active.add(policy.getMetadata().getName());
            }
        }))) {
            await(() -> active.size() == count, LIMIT.plusMillis(500L * count));
        }
    }

    private void awaitWebhook(String policy, long generation) throws Exception {
        client.admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName("kw.cap." + policy)
                .waitUntilCondition(
                        webhook -> webhook != null
                                && webhook.getWebhooks()
                                        .getFirst()
                                        .getClientConfig()
                                        .getService()
                                        .getPath()
                                        .endsWith("/" + generation),
                        LIMIT.toSeconds(),
                        TimeUnit.SECONDS);
    }

    private static void await(BooleanSupplier condition, Duration limit) throws InterruptedException {
        var end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("waited in vain for " + limit);
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    private static void rest(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(time.toMillis());
    }

    private void print(String what, List<Change> times, Duration bar) {
        print(what, times.stream().map(Change::asked), seconds(bar));
        print("    since it is stored", times.stream().map(Change::stored), seconds(bar));
        stages.print(out);
    }

    private void print(String what, Stream<Duration> times, double bar) {
        var sorted = times.sorted().toList();
        out.printf(
                "%-70s p50 %.2f s, p95 %.2f s (bar %.0f)%n",
                what, seconds(sorted.get(sorted.size() / 2)), seconds(sorted.get(sorted.size() * 95 / 100)), bar);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
