package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Policies change while controller, leader and replicas are killed, paused and cut off from the API server. What must
 * never be, never is; and when it is quiet again, everything becomes Active. {@code -Dportcullis.chaosSeed} chooses other
 * faults and changes, {@code -Dportcullis.chaosSeconds} makes it longer.
 */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
class ChaosIT {

    /** Each kind of fault comes to the controller and to replicas. */
    private static final long SEED = Long.getLong("portcullis.chaosSeed", 170);

    private static final Duration LENGTH = Duration.ofSeconds(Integer.getInteger("portcullis.chaosSeconds", 45));
    private static final Duration QUIET_LIMIT = Duration.ofMinutes(3);
    private static final String SERVER = "chaos";
    private static final List<String> POLICIES = List.of("chaos-one", "chaos-two");
    private static final String WATCHED = "chaos-watched";

    @Test
    void whateverHappensToItsPartsTheWholeStaysTrueAndRecovers(TestCluster cluster, @TempDir Path directory)
            throws InterruptedException {
        System.out.println("ChaosIT: -Dportcullis.chaosSeed=" + SEED);
        var random = new Random(SEED);
        try (var stage = Stage.open(cluster, directory, WATCHED, "webhookDrainSeconds=10")) {
            stage.startServer(
                    Policies.server(SERVER, 3, stage.installation().registry().host()));
            POLICIES.forEach(policy -> stage.create(policy, SERVER, "as-created"));
            POLICIES.forEach(policy -> stage.awaitEnforced(policy, 1));
            try (var disturbance = new Disturbance(stage.installation(), () -> stage.pods(SERVER), random);
                    var witness = witness(cluster, stage, disturbance)) {
                var users = stage.requests().once();
                var policies = new Policies(users.client());
                var load = Load.start(users, 5);
                var end = System.nanoTime() + LENGTH.toNanos();
                while (System.nanoTime() < end) {
                    System.out.println(
                            "ChaosIT: " + (random.nextInt(3) == 0 ? disturbance.strike() : change(policies, random)));
                    TimeUnit.MILLISECONDS.sleep(500 + random.nextInt(2000));
                }
                await("all faults undone").atMost(QUIET_LIMIT).until(disturbance::isOver);
                POLICIES.forEach(policy -> recover(stage, policy));

                // Nobody is let through while replicas come and go; that requests fail then is what failurePolicy asks
                // for.
                assertThat(load.finish())
                        .as("wrong decisions, seed %s", SEED)
                        .allMatch(Answer.Failed.class::isInstance);
                assertThat(witness.violations()).as("seed %s", SEED).isEmpty();
                assertThat(witness.looks()).isPositive();
                users.client().close();
                System.out.println("ChaosIT: seed " + SEED + ", " + witness.seen());
            } finally {
                POLICIES.forEach(stage::remove);
                stage.removeServers(SERVER);
            }
        }
    }

    private static Witness witness(TestCluster cluster, Stage stage, Disturbance disturbance) {
        var container = cluster.client()
                .apps()
                .statefulSets()
                .inNamespace(cluster.namespace())
                .withName("policy-server-" + SERVER)
                .get()
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst();
        var service = cluster.client()
                .services()
                .inNamespace(cluster.namespace())
                .withName("policy-server-" + SERVER)
                .get();
        var replicas = ReplicaQuestions.to(
                () -> stage.pods(SERVER),
                service.getSpec().getPorts().getFirst().getTargetPort().getIntVal(),
                container.getReadinessProbe().getHttpGet().getPort().getIntVal());
        return new Witness(
                cluster.client(), cluster.namespace(), POLICIES, replicas, disturbance::isControllerUndisturbed);
    }

    /** A good change, mostly; sometimes one that the policy refuses. */
    private static String change(Policies policies, Random random) {
        var policy = POLICIES.get(random.nextInt(POLICIES.size()));
        var number = random.nextInt(1_000_000);
        var broken = random.nextInt(4) == 0;
        try {
            policies.edit(policy, spec -> {
                spec.put("message", "message-" + number);
                var settings = spec.putObject("settings").put("skip_init_containers", number % 2 == 0);
                if (broken) {
                    settings.put("no_such_setting", number);
                }
            });
            return (broken ? "break " : "change ") + policy;
        } catch (KubernetesClientException e) {
            return "no change of " + policy + ", since no controller looks at it: " + e.getCode();
        }
    }

    private static void recover(Stage stage, String policy) {
        // The controller, which is asked about it, may still be starting.
        await("change of " + policy)
                .atMost(QUIET_LIMIT)
                .ignoreException(KubernetesClientException.class)
                .until(() -> stage.policies().edit(policy, spec -> {
                            spec.put("message", "the-last");
                            spec.putObject("settings");
                        })
                        != null);
        await(policy + " becomes Active")
                .atMost(QUIET_LIMIT)
                .until(() -> Stage.isEnforced(stage.policies().get(policy).get()));
    }
}
