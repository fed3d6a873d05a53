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
 * What a mutating policy costs that comes and goes among many others: {@code ./portcullis bench affected [--policies N]}. A
 * real API server, the policy part of a real controller at its usual pace, and played policy servers. Takes about
 * {@code N / 5} seconds for the writes alone, because that is the pace.
 */
public final class AffectedBench {

    private static final Duration LIMIT = Duration.ofMinutes(30);
    private static final int WRITES_PER_SECOND = 10;
    private static final Duration UNRELATED = Duration.ofSeconds(5);

    private final Installation installation;
    private final int count;
    private final PrintStream out;

    private AffectedBench(Installation installation, int count, PrintStream out) {
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
            var installation = new Installation(cluster);
            try {
                new AffectedBench(installation, count, System.out).measure();
            } finally {
                installation.stop();
            }
        } finally {
            local.down();
        }
        System.exit(0); // played servers would keep the process
    }

    private void measure() {
        var begun = System.nanoTime();
        var server = installation.server(1);
        for (int i = 0; i < count; i++) {
            PlayedPolicy.create(installation, "storm-" + i, server, on("many"));
        }
        awaitAll(server, AffectedBench::isEnforced);
        out.printf("%d policies are enforced after %.0f s%n", count, seconds(since(begun)));

        int before = installation.writes().about("/storm-").size();
        var start = System.nanoTime();
        var mutator = PlayedPolicy.create(
                installation,
                "mutator",
                installation.server(1),
                on("many").andThen(spec -> spec.put("mutating", true)));
        mutator.awaitActive(1);
        await().atMost(LIMIT).until(() -> installation.writes().about("/storm-").size() > before);
        printUnrelated();
        awaitAll(server, status -> isAffected(status).equals(Optional.of(true)));
        out.printf("all are told of the mutating policy after %.0f s%n", seconds(since(start)));

        start = System.nanoTime();
        mutator.delete();
        awaitAll(server, status -> isAffected(status).equals(Optional.of(false)));
        out.printf("all are told of its end after %.0f s%n", seconds(since(start)));
        printWrites(installation.writes().about("/storm-").stream().skip(before).toList());
    }

    /** While the others are being told. */
    private void printUnrelated() {
        var server = installation.server(1);
        var begun = System.nanoTime();
        PlayedPolicy.create(installation, "unrelated", server, on("others"))
                .awaitPlaying(AffectedBench::isEnforced, LIMIT);
        out.printf(
                "an unrelated policy is accepted and enforced after %.1f s (bar %d)%n",
                seconds(since(begun)), UNRELATED.toSeconds());
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

    /** The server does its part meanwhile. */
    private void awaitAll(PlayedServer server, Predicate<PolicyStatus> condition) {
        await().pollInterval(Duration.ofSeconds(1)).atMost(LIMIT).until(() -> {
            server.play();
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

    /** Empty before it is known. */
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
