package io.portcullis.controller.policyserver.rollout;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.portcullis.api.policyserver.PolicyServerNames;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server with one replica always has one ready replica. */
class SurgeTest {

    private static final Instant NOW = Instant.parse("2026-01-01T00:10:00Z");
    private static final String SECONDS_AGO = "2026-01-01T00:09:50Z";
    private static final String MINUTES_AGO = "2026-01-01T00:05:00Z";

    private static StatefulSet set(String template, int replicas, int partition, String update) {
        return new StatefulSetBuilder()
                .withNewMetadata()
                .withGeneration(1L)
                .withAnnotations(Map.of(Surge.TEMPLATE_DIGEST, template))
                .endMetadata()
                .withNewSpec()
                .withReplicas(replicas)
                .withNewUpdateStrategy()
                .withNewRollingUpdate()
                .withPartition(partition)
                .endRollingUpdate()
                .endUpdateStrategy()
                .endSpec()
                .withNewStatus()
                .withObservedGeneration(1L)
                .withUpdateRevision(update)
                .endStatus()
                .build();
    }

    private static Pod pod(int ordinal, String revision, boolean isReady, String since) {
        return new PodBuilder()
                .withNewMetadata()
                .withName("policy-server-a-" + ordinal)
                .withLabels(Map.of(PolicyServerNames.POD_LABEL, "a", "controller-revision-hash", revision))
                .withCreationTimestamp(MINUTES_AGO)
                .endMetadata()
                .withNewSpec()
                .withNodeName("node-" + ordinal)
                .endSpec()
                .withNewStatus()
                .addNewCondition()
                .withType("Ready")
                .withStatus(isReady ? "True" : "False")
                .withLastTransitionTime(since)
                .endCondition()
                .endStatus()
                .build();
    }

    private static Surge decide(int wanted, StatefulSet live, Pod... pods) {
        return decide(wanted, "node-x", live, pods);
    }

    private static Surge decide(int wanted, String cordoned, StatefulSet live, Pod... pods) {
        return Surge.decide(
                new Surge.Seen(wanted, false, "new", Optional.of(live), List.of(pods), cordoned::equals, NOW));
    }

    private static String text(Surge surge) {
        return surge.replicas() + "/" + surge.partition();
    }

    @ParameterizedTest
    @CsvSource({"0, 0/0", "2, 2/0", "3, 3/0"})
    void leavesOtherReplicaCountsToKubernetes(int wanted, String expected) {
        assertThat(text(decide(wanted, set("old", 1, 1, "r1"), pod(0, "r1", true, SECONDS_AGO))))
                .isEqualTo(expected);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        // situation, template of the set, replicas, partition, first replica, second replica → replicas/partition
        "at rest, new, 1, 1, r2 ready, -, 1/1",
        "the only replica starts, new, 1, 1, r2 starting, -, 1/1",
        "the only replica is missing, new, 1, 1, -, -, 1/1",
        "a new template is applied, old, 1, 1, r1 ready, -, 1/1",
        "a new template after an earlier release, old, 1, 0, r1 ready, -, 1/1",
        "the new template is applied, new, 1, 1, r1 ready, -, 2/1",
        "the second replica starts, new, 2, 1, r1 ready, r2 starting, 2/1",
        "the second replica has an older template, new, 2, 1, r1 ready, r1 ready, 2/1",
        "the second replica is ready, new, 2, 1, r1 ready, r2 ready, 2/0",
        "the first replica is gone, new, 2, 0, -, r2 ready, 2/0",
        "the first replica starts, new, 2, 0, r2 starting, r2 ready, 2/0",
        "the first replica is ready, new, 2, 0, r2 ready, r2 ready, 1/1",
        "another template comes in the middle, old, 2, 0, r1 ready, r2 ready, 2/1",
        "another template comes while the first replica starts, old, 2, 0, r1 starting, r2 ready, 2/2",
        "the second replica alone has an older template, new, 2, 2, r1 starting, r1 ready, 2/2",
        "fewer replicas and a new template, old, 3, 0, r1 ready, r1 ready, 2/1",
        "the first replica has long been broken, new, 1, 1, r1 broken, -, 1/0",
        "the first replica is not ready for a moment, new, 1, 1, r1 starting, -, 2/1",
    })
    void replacesTheOnlyReplicaStepByStep(
            String situation,
            String template,
            int replicas,
            int partition,
            String first,
            String second,
            String expected) {
        var pods = new ArrayList<Pod>();
        parse(0, first).ifPresent(pods::add);
        parse(1, second).ifPresent(pods::add);

        var surge = decide(1, set(template, replicas, partition, "r2"), pods.toArray(Pod[]::new));

        assertThat(text(surge)).as(situation).isEqualTo(expected);
    }

    private static Optional<Pod> parse(int ordinal, String text) {
        if (text.equals("-")) {
            return Optional.empty();
        }
        var revision = text.substring(0, text.indexOf(' '));
        return Optional.of(
                pod(ordinal, revision, text.endsWith("ready"), text.endsWith("broken") ? MINUTES_AGO : SECONDS_AGO));
    }

    @Test
    void startsASecondReplicaWhenTheNodeIsCordoned() {
        var live = set("new", 1, 1, "r2");

        assertThat(text(decide(1, "node-0", live, pod(0, "r2", true, SECONDS_AGO))))
                .isEqualTo("2/1");
        assertThat(text(decide(1, "node-1", live, pod(0, "r2", true, SECONDS_AGO))))
                .isEqualTo("1/1");
    }

    @Test
    void keepsAStatefulSetThatIsNotYetObserved() {
        var live = new StatefulSetBuilder(set("new", 2, 0, "r2"))
                .editMetadata()
                .withGeneration(2L)
                .endMetadata()
                .build();

        assertThat(text(decide(1, live, pod(0, "r1", true, SECONDS_AGO), pod(1, "r2", true, SECONDS_AGO))))
                .isEqualTo("2/0");
    }

    @Test
    void replacesInPlaceWhenAGapIsAccepted() {
        var surge = Surge.decide(new Surge.Seen(
                1,
                true,
                "new",
                Optional.of(set("old", 1, 1, "r1")),
                List.of(pod(0, "r1", true, SECONDS_AGO)),
                _ -> false,
                NOW));

        assertThat(text(surge)).isEqualTo("1/0");
    }

    @Test
    void reportsWhyASecondReplicaCannotStartAndTheNextStep() {
        var second = new PodBuilder(pod(1, "r2", false, SECONDS_AGO))
                .editStatus()
                .addNewCondition()
                .withType("PodScheduled")
                .withStatus("False")
                .withMessage("0/1 nodes are available")
                .endCondition()
                .endStatus()
                .build();

        assertThat(decide(1, set("new", 2, 1, "r2"), pod(0, "r1", true, SECONDS_AGO), second)
                        .waiting())
                .hasValueSatisfying(text ->
                        assertThat(text).contains("0/1 nodes are available", "kubewarden.io/replace-in-place=true"));
    }

    /** A simulated StatefulSet controller and kubelet: one step at a time, in random order. */
    private static final class Cluster {

        private final Random random;
        private final Map<Integer, Pod> pods = new TreeMap<>();
        private String template = "t0";
        private String applied = "t0";
        private String current = "t0";
        private String observed = "t0";
        private int replicas = 1;
        private int partition = 1;

        Cluster(Random random) {
            this.random = random;
            pods.put(0, pod(0, "t0", true, SECONDS_AGO));
        }

        private void reconcile() {
            var live = set(applied, replicas, partition, observed);
            if (!observed.equals(applied)) {
                live.getMetadata().setGeneration(2L);
            }
            var surge = Surge.decide(
                    new Surge.Seen(1, false, template, Optional.of(live), List.copyOf(pods.values()), _ -> false, NOW));
            applied = template;
            replicas = surge.replicas();
            partition = surge.partition();
        }

        private void statefulSetController() {
            observed = applied;
            for (int i = 0; i < replicas; i++) {
                if (!pods.containsKey(i)) {
                    pods.put(i, pod(i, i < partition ? current : observed, false, SECONDS_AGO));
                    return;
                }
            }
            if (pods.size() > replicas) {
                pods.remove(pods.size() - 1);
                return;
            }
            for (int i = replicas - 1; i >= partition; i--) {
                var pod = Objects.requireNonNull(pods.get(i));
                if (!revision(pod).equals(observed)) {
                    pods.remove(i);
                    return;
                }
                if (!isReady(pod)) {
                    return;
                }
            }
            if (pods.values().stream().allMatch(pod -> revision(pod).equals(observed) && isReady(pod))) {
                current = observed;
            }
        }

        private void kubelet() {
            pods.replaceAll((ordinal, pod) ->
                    isReady(pod) || random.nextBoolean() ? pod : pod(ordinal, revision(pod), true, SECONDS_AGO));
        }

        void step() {
            switch (random.nextInt(3)) {
                case 0 -> reconcile();
                case 1 -> statefulSetController();
                default -> kubelet();
            }
        }

        long ready() {
            return pods.values().stream().filter(Cluster::isReady).count();
        }

        boolean isSettledWith(String wanted) {
            return pods.size() == 1
                    && replicas == 1
                    && revision(Objects.requireNonNull(pods.get(0))).equals(wanted)
                    && ready() == 1;
        }

        private static String revision(Pod pod) {
            return Objects.requireNonNull(pod.getMetadata().getLabels().get("controller-revision-hash"));
        }

        private static boolean isReady(Pod pod) {
            return pod.getStatus().getConditions().getFirst().getStatus().equals("True");
        }
    }

    /** The template can change at any time, even twice during one surge. */
    @Test
    void alwaysHasAReadyReplicaInAnyOrderOfEvents() {
        for (int seed = 0; seed < 500; seed++) {
            var random = new Random(seed);
            var cluster = new Cluster(random);
            for (int step = 0; step < 200; step++) {
                if (step < 100 && random.nextInt(20) == 0) {
                    cluster.template = "t" + step;
                }
                cluster.step();
                assertThat(cluster.ready()).as("seed %d, step %d", seed, step).isPositive();
            }
            for (int step = 0; step < 500 && !cluster.isSettledWith(cluster.template); step++) {
                cluster.step();
            }
            assertThat(cluster.isSettledWith(cluster.template))
                    .as("seed %d ends", seed)
                    .isTrue();
        }
    }
}
