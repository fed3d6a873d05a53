package io.portcullis.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Runs random histories of a policy with a controller that may crash between any two writes. {@code -Dseed=…} repeats a run.
 * The safety rules must hold after every write. Once the random events stop, the policy must become active.
 */
class ChaosTest {

    private static final int RUNS = 1_500;
    private static final int EVENTS = 40;
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    private final List<String> log = new ArrayList<>();

    @Test
    void everyWriteIsSafeAndTheStateConverges() {
        System.out.println("ChaosTest: seed " + SEED);
        for (int run = 0; run < RUNS; run++) {
            log.clear();
            try {
                runRandomHistory(new World(), new Random(SEED + run));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("-Dseed=" + SEED + ", run " + run + ":\n" + String.join("\n", log), e);
            }
        }
    }

    private void runRandomHistory(World world, Random random) {
        for (String name : List.of("a", "b")) {
            var server = new World.Server();
            world.servers.put(name, server);
            world.scale(server, 1 + random.nextInt(3));
        }
        world.policyServer = "a";
        world.generation = 1;
        for (int i = 0; i < EVENTS; i++) {
            event(world, random);
            control(world, random);
        }
        checkConvergence(world);
    }

    /** Executes the steps of several plans. After a random number of steps the controller crashes. */
    private void control(World world, Random random) {
        for (int pass = random.nextInt(4); pass > 0; pass--) {
            var steps = PolicyPlan.of(world.observed()).steps();
            int executed = random.nextInt(steps.size() + 1);
            for (Step step : steps.subList(0, executed)) {
                log.add("  controller: " + step);
                world.apply(step);
                checkAfterWrite(world, step);
            }
        }
        if (random.nextInt(4) == 0) {
            world.settle();
            checkConverged(world);
        }
    }

    private static void checkAfterWrite(World world, Step step) {
        if (step instanceof Step.Activate activate) {
            var activated = world.revisions.values().stream()
                    .filter(stored -> stored.name().equals(activate.revision()))
                    .findFirst()
                    .orElseThrow();
            assertThat(world.server(activated.server).pods.values().stream().filter(pod -> pod.downSince.isEmpty()))
                    .as("a generation is activated only when every running replica has loaded it")
                    .isNotEmpty()
                    .allSatisfy(pod -> assertThat(pod.loaded).contains(activated.generation));
        }
        if (step instanceof Step.Register) {
            assertThat(world.finalizer)
                    .as("a policy with a webhook has its finalizer")
                    .isTrue();
        }
        if (world.webhookExists && world.revisions.containsKey(world.webhookGeneration)) {
            var served = world.revision(world.webhookGeneration);
            assertThat(served.enabled).as("the webhook target is enabled").isTrue();
            assertThat(world.endpointPods())
                    .as("every ready replica behind the webhook serves its target")
                    .allSatisfy(pod -> assertThat(pod.loaded).contains(served.generation));
        }
    }

    private static void checkConverged(World world) {
        world.revisions.values().stream()
                .filter(stored -> stored.enabled)
                .forEach(stored -> assertThat(stored.generation == world.generation
                                || (world.webhookExists && stored.generation == world.webhookGeneration)
                                || (world.suspended && stored.active)
                                || stored.disableAfter.isPresent())
                        .as("an enabled revision is the latest, in use, or draining: %s", stored.name())
                        .isTrue());
        assertThat(world.suspended && world.webhookExists)
                .as("an overridden policy has no webhook")
                .isFalse();
        assertThat(PolicyPlan.of(world.observed()).steps())
                .as("a converged state needs no steps")
                .isEmpty();
    }

    private void event(World world, Random random) {
        int which = random.nextInt(20);
        var server = world.server().orElse(null);
        switch (which) {
            case 0 -> {
                world.generation++;
                log.add("edited");
            }
            case 1 -> {
                world.generation++;
                world.policyServer = List.of("a", "b", "", "none").get(random.nextInt(4));
                log.add("moved to " + world.policyServer);
            }
            case 2 -> {
                if (server != null) {
                    world.scale(server, random.nextInt(4));
                    log.add("scaled to " + server.replicas);
                }
            }
            case 3 -> {
                world.webhookExists = false;
                world.webhookGeneration = 0;
                log.add("webhook removed");
            }
            case 4 -> {
                world.webhookIntact = false;
                log.add("webhook changed");
            }
            case 5 -> {
                world.now = world.now.plus(Duration.ofSeconds(random.nextInt(70)));
                log.add("time passes");
            }
            case 6, 7 -> {
                if (server != null && !server.pods.isEmpty()) {
                    var pod = Objects.requireNonNull(server.pods.get(random.nextInt(server.pods.size())));
                    if (pod.downSince.isPresent()) {
                        pod.downSince = Optional.empty();
                    } else {
                        pod.downSince = Optional.of(world.now);
                    }
                    pod.loaded.clear();
                    pod.uid = pod.uid + "'";
                    log.add("pod " + pod.uid + (pod.downSince.isPresent() ? " down" : " up"));
                }
            }
            case 8 -> leader(world, Reason.INVALID_SETTINGS);
            case 9, 10, 11 -> leader(world, Reason.POLICY_INITIALIZED);
            case 12 -> replica(world, random, Reason.LOAD_ERROR);
            case 13 -> {
                world.suspended = !world.suspended;
                log.add(world.suspended ? "overridden" : "unrivalled");
            }
            default -> replica(world, random, Reason.POLICY_READY);
        }
    }

    private void leader(World world, Reason reason) {
        var latest = world.revisions.get(world.generation);
        if (latest != null && latest.enabled) {
            world.leaderReports(latest, ConditionType.INITIALIZED, reason, "");
            log.add("leader: " + reason);
        }
    }

    private void replica(World world, Random random, Reason reason) {
        for (World.Stored stored : List.copyOf(world.revisions.values())) {
            var server = world.servers.get(stored.server);
            if (!stored.enabled || server == null || server.pods.isEmpty() || random.nextInt(3) == 0) {
                continue;
            }
            int replica = random.nextInt(server.pods.size());
            var pod = world.pod(stored.server, replica);
            boolean alive = pod.downSince.isEmpty();
            boolean initialized = stored.view().progress().isInitialized();
            if (alive && initialized && (reason == Reason.POLICY_READY || !pod.loaded.contains(stored.generation))) {
                world.replicaReports(stored, replica, reason, "");
                log.add("replica " + stored.server + "-" + replica + ": " + reason + " " + stored.generation);
            }
        }
    }

    private void checkConvergence(World world) {
        log.add("random events end");
        world.policyServer = "a";
        world.suspended = false;
        world.generation++;
        var server = world.server("a");
        world.scale(server, 2);
        server.pods.values().forEach(pod -> pod.downSince = Optional.empty());
        world.settle();
        for (World.Stored stored : world.revisions.values()) {
            if (stored.enabled && stored.server.equals("a")) {
                world.leaderReports(
                        stored, ConditionType.SCHEDULED, Reason.POLICY_SCHEDULED, Messages.POLICY_SCHEDULED);
                world.leaderReports(
                        stored, ConditionType.INITIALIZED, Reason.POLICY_INITIALIZED, Messages.POLICY_INITIALIZED);
                world.replicaReports(stored, 0, Reason.POLICY_READY, Messages.POLICY_READY);
                world.replicaReports(stored, 1, Reason.POLICY_READY, Messages.POLICY_READY);
            }
        }
        world.settle();
        world.now = world.now.plus(World.DRAIN).plusSeconds(1);
        world.settle();
        checkConverged(world);

        var status = Objects.requireNonNull(world.status);
        assertThat(status.phase()).isEqualTo(Phase.ACTIVE);
        assertThat(status.condition(ConditionType.ENFORCED).orElseThrow().isTrue())
                .isTrue();
        assertThat(world.revisions.values().stream()
                        .filter(stored -> stored.enabled)
                        .map(stored -> stored.generation))
                .containsExactly(world.generation);
    }
}
