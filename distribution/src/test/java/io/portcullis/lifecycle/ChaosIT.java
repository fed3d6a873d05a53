package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.lifecycle.ChaosSchedule.Content;
import io.portcullis.lifecycle.Requests.Answer;
import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.tools.NeedsTools;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two controllers and three replicas are killed, paused and cut off while users change policies, well and badly. What is
 * done is drawn from a seed; {@code -Dportcullis.seed=…} does the same again. {@link ChaosWitness} says what must hold
 * meanwhile; in the end everything is active.
 */
@Tag("level1")
@NeedsTools({"registry", "helm"})
@RealCluster(level = Level.API)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@SuppressWarnings("NullAway.Init") // set before all tests
class ChaosIT {

    private static final long SEED = Long.getLong("portcullis.seed", System.nanoTime());
    private static final String SERVER = "chaos";
    private static final int REPLICAS = 3;

    /** The last one loses its webhook now and then, so only the others must be enforced all the time. */
    private static final List<String> POLICIES = List.of("chaos-one", "chaos-two", "chaos-three");

    private static final int MODULES = 3;
    private static final int PRINTED_LINES = 150;

    private final Chronicle chronicle = new Chronicle();
    private Path directory;
    private Stage stage;
    private Controllers controllers;
    private List<String> modules;
    private Map<String, Requests> namespaces;

    @BeforeAll
    void install(TestCluster cluster, @TempDir(cleanup = CleanupMode.ON_SUCCESS) Path temporary) {
        directory = temporary;
        // A replica that is hurt several times in a row is still waited for: one that is not may be ready without the
        // latest generation. And generations end soon, so that a controller that was paused for longer comes back to
        // another world.
        stage = Stage.open(cluster, directory, "chaos", "replicaGraceSeconds=180", "webhookDrainSeconds=15");
        controllers = Controllers.of(stage.installation());
        modules = IntStream.range(0, MODULES)
                .mapToObj(number -> stage.installation().pushVariant("privileged-pods", "chaos-" + number, number))
                .toList();
        namespaces = POLICIES.stream()
                .collect(Collectors.toMap(Function.identity(), policy -> stage.namespace("watched-by-" + policy)));
        stage.startServer(Policies.server(
                SERVER, REPLICAS, stage.installation().registry().host()));
    }

    @AfterAll
    void uninstall() {
        POLICIES.forEach(stage::remove);
        stage.removeServers(SERVER);
        controllers.close();
        stage.close();
    }

    @Test
    void whateverFailsNothingUnservedIsEnforcedAndInTheEndAllIsActive() throws InterruptedException {
        var schedule = ChaosSchedule.draw(SEED, POLICIES, MODULES);
        System.out.println("ChaosIT: seed " + SEED);
        POLICIES.forEach(policy -> stage.client()
                .resource(Policies.privilegedPods(policy, SERVER, modules.getFirst(), "first", "watched-by-" + policy))
                .create());
        POLICIES.forEach(policy -> stage.awaitEnforced(policy, 1));
        await().atMost(Stage.LIMIT).until(controllers::areReady);

        try (var witness = new ChaosWitness(stage, SERVER, REPLICAS, POLICIES, controllers, chronicle);
                var requests = new ChaosRequests(alwaysEnforced(), witness::complain)) {
            var hand = new ChaosHand(stage, SERVER, modules, controllers, chronicle);
            try (hand) {
                carryOut(schedule, hand, witness);
            }
            assertThat(witness.violations()).isEmpty();
            chronicle.add("left in peace");
            POLICIES.forEach(policy -> endWell(policy, hand));
            witness.checkOrder();
            assertThat(witness.violations()).isEmpty();
            System.out.println("ChaosIT: webhooks moved " + witness.webhookMoves() + " times, " + requests);
            assertThat(witness.webhookMoves())
                    .as("changes arrive in the midst of it")
                    .isGreaterThan(POLICIES.size());
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError(
                    schedule + "\nall of it: " + chronicle.write(directory.resolve("chronicle.txt")) + "\n"
                            + String.join("\n", chronicle.last(PRINTED_LINES)),
                    e);
        }
    }

    private List<Requests> alwaysEnforced() {
        return POLICIES.subList(0, POLICIES.size() - 1).stream()
                .map(this::requests)
                .toList();
    }

    private Requests requests(String policy) {
        return Objects.requireNonNull(namespaces.get(policy));
    }

    /** Until something is wrong. */
    private void carryOut(ChaosSchedule schedule, ChaosHand hand, ChaosWitness witness) throws InterruptedException {
        var begin = System.nanoTime();
        for (var planned : schedule.plan()) {
            standBy(Duration.ofNanos(begin - System.nanoTime()).plus(planned.at()));
            if (!witness.violations().isEmpty()) {
                return;
            }
            hand.carryOut(planned.action());
        }
    }

    /** The pace of the faults, which the schedule chose. This is not a wait for a result. */
    private static void standBy(Duration time) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(Math.max(0, time.toMillis()));
    }

    /** The latest generation is served by all, enforced, and asked. */
    private void endWell(String policy, ChaosHand hand) {
        var message = "peace-for-" + policy;
        var peace = new Content.Good(message, 0, false);
        long generation = await("a change of " + policy + " is accepted")
                .atMost(Stage.LIMIT)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(
                        () -> Policies.edit(stage.policies().get(policy), object -> {
                            // A rollback that the controller has not reconciled yet would undo this.
                            object.getMetadata().getAnnotations().remove(PolicyNames.ROLLBACK_TO);
                            hand.write(peace, object.getSpec());
                        }),
                        Objects::nonNull)
                .getMetadata()
                .getGeneration();

        var enforced = stage.awaitEnforced(policy, generation);

        assertThat(Stage.status(enforced).conditions())
                .filteredOn(condition -> condition.type().equals(ConditionType.READY.wireName()))
                .hasSize(REPLICAS)
                .allMatch(condition -> condition.isTrue() && condition.generation() == generation);
        assertThat(stage.webhookPath(policy)).isEqualTo("/validate/kw.cap." + policy + "/" + generation);
        assertThat(stage.client()
                        .admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName("kw.cap." + policy)
                        .get())
                .isNull();
        await("a refusal by " + policy)
                .atMost(Duration.ofSeconds(30))
                .until(() -> requests(policy).privilegedPod() instanceof Answer.Denied denied
                        && denied.message().contains(message));
    }
}
