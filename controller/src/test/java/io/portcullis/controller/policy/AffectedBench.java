package io.portcullis.controller.policy;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.LocalCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Measures the cost of a mutating policy that is created and deleted among many others: {@code ./portcullis bench
 * affected [--policies N]}. It uses a real API server, the policy part of a real controller at its usual rate limit,
 * and simulated policy servers. The rate limit makes the writes alone take about {@code N / 5} seconds.
 */
public final class AffectedBench {

    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final int WRITES_PER_SECOND = 10;
    private static final Duration UNRELATED = Duration.ofSeconds(5);

    private final SimulatedInstallation installation;
    private final int count;
    private final PrintStream out;

    private AffectedBench(SimulatedInstallation installation, int count, PrintStream out) {
        this.installation = installation;
        this.count = count;
        this.out = out;
    }

    public static void main(String[] arguments) throws Exception {
        int at = List.of(arguments).indexOf("--policies");
        int count = at < 0 ? 2000 : Integer.parseInt(arguments[at + 1]);
        var local = new LocalCluster(
                Checkout.current(), Files.createTempDirectory("affected-bench").resolve("cluster"));
        local.prepare(Level.API);
        local.up(Level.API, 1);
        try (var cluster = TestCluster.open(local, Level.API, "bench")) {
            var installation = new SimulatedInstallation(cluster);
            try {
                new AffectedBench(installation, count, System.out).measure();
            } finally {
                installation.stop();
            }
        } finally {
            local.down();
        }
        System.exit(0); // threads of the simulated servers would keep the JVM alive
    }

    private void measure() {
        var creationStart = System.nanoTime();
        var server = installation.server(1);
        for (int i = 0; i < count; i++) {
            SimulatedPolicy.create(installation, "storm-" + i, server, on("many"));
        }
        awaitAllPolicies(server, AffectedBench::isEnforced);
        out.printf("%d policies are enforced after %.0f s%n", count, seconds(since(creationStart)));

        int before = installation.writes().matching("/storm-").size();
        var start = System.nanoTime();
        var mutator = SimulatedPolicy.create(
                installation,
                "mutator",
                installation.server(1),
                on("many").andThen(spec -> spec.put("mutating", true)));
        mutator.awaitActive(1);
        await().atMost(LIMIT)
                .until(() -> installation.writes().matching("/storm-").size() > before);
        printUnrelated();
        awaitAllPolicies(server, status -> isAffected(status).equals(Optional.of(true)));
        out.printf("all policies report the mutating policy after %.0f s%n", seconds(since(start)));

        start = System.nanoTime();
        mutator.delete();
        awaitAllPolicies(server, status -> isAffected(status).equals(Optional.of(false)));
        out.printf("all policies report its deletion after %.0f s%n", seconds(since(start)));
        printWrites(
                installation.writes().matching("/storm-").stream().skip(before).toList());
    }

    /** Measures an unrelated policy while the other policies are updated. */
    private void printUnrelated() {
        var server = installation.server(1);
        var start = System.nanoTime();
        SimulatedPolicy.create(installation, "unrelated", server, on("others"))
                .awaitWithServers(AffectedBench::isEnforced, LIMIT);
        out.printf(
                "an unrelated policy is accepted and enforced after %.1f s (bar %d)%n",
                seconds(since(start)), UNRELATED.toSeconds());
    }

    private void printWrites(List<Writes.Write> writes) {
        int most = 0;
        int first = 0;
        for (int last = 0; last < writes.size(); last++) {
            while (writes.get(last).atNanos() - writes.get(first).atNanos()
                    > Duration.ofSeconds(1).toNanos()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        out.printf(
                "%d writes (bar %d), at most %d in a second (bar %d)%n",
                writes.size(), 2 * count, most, WRITES_PER_SECOND);
    }

    /** Waits until all policies meet the condition. The server runs meanwhile. */
    private void awaitAllPolicies(SimulatedServer server, Predicate<PolicyStatus> condition) {
        await().pollInterval(Duration.ofSeconds(1)).atMost(LIMIT).until(() -> {
            server.runStep();
            return installation.client().resources(ClusterAdmissionPolicy.class).list().getItems().stream()
                    .filter(policy -> policy.getMetadata().getName().startsWith("storm-"))
                    .allMatch(policy -> policy.getStatus() != null && condition.test(policy.getStatus()));
        });
    }

    private static Consumer<ObjectNode> on(String resource) {
        return spec -> {
            var rule = spec.putArray("rules").addObject();
            rule.putArray("apiGroups").add("nothing.example.com");
            rule.putArray("apiVersions").add("v1");
            rule.putArray("resources").add(resource);
            rule.putArray("operations").add("CREATE");
        };
    }

    private static boolean isEnforced(PolicyStatus status) {
        return List.of(ConditionType.ACCEPTED, ConditionType.ENFORCED).stream()
                .allMatch(
                        type -> status.condition(type).filter(Condition::isTrue).isPresent());
    }

    /** Returns empty until the condition is written. */
    private static Optional<Boolean> isAffected(PolicyStatus status) {
        return status.condition(ConditionType.POLICY_AFFECTED).map(Condition::isTrue);
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    private static double seconds(Duration time) {
        return time.toMillis() / 1000.0;
    }
}
