package io.portcullis.controller.policyserver.rollout;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateStatefulSetStrategy;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetUpdateStrategy;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many replicas the StatefulSet has now, and which of them may be replaced. A server with one replica gets a second one
 * before the first is replaced or its node is drained, and loses it again afterwards:
 *
 * <table>
 * <caption>Phases of a server with one replica</caption>
 * <tr><td>rest</td><td>one replica, partition 1: a new template does not replace the first replica</td></tr>
 * <tr><td>second replica starts</td><td>two replicas, partition 1: the second one has the new template</td></tr>
 * <tr><td>first replica is replaced</td><td>two replicas, partition 0, once the second one is ready</td></tr>
 * <tr><td>rest</td><td>once the first one is ready again</td></tr>
 * </table>
 *
 * <p>A template that changes again in the middle waits while the second replica alone is ready (partition 2).
 *
 * @param partition replicas below it keep their template
 * @param waiting what the server waits for, if it is not at rest
 */
public record Surge(int replicas, int partition, Optional<String> waiting) {

    /** Annotation of the StatefulSet: digest of its template as we applied it. */
    public static final String TEMPLATE_DIGEST = "kubewarden.io/template-digest";

    /** A replica that is not ready for this long serves no requests, so it is replaced without a second one. */
    private static final Duration UNREADY_LIMIT = Duration.ofSeconds(30);

    private static final String REVISION_LABEL = "controller-revision-hash";
    private static final int SECOND = 1;

    private static final Surge REST = new Surge(1, 1, Optional.empty());

    /**
     * The observed state.
     *
     * @param wanted desired replicas of the PolicyServer
     * @param replacesInPlace whether the operator accepts failing requests while the only replica is replaced
     * @param template digest of the template that is applied next
     * @param pods of the server
     * @param isCordoned whether a node accepts no new pods
     */
    public record Seen(
            int wanted,
            boolean replacesInPlace,
            String template,
            Optional<StatefulSet> statefulSet,
            List<Pod> pods,
            Predicate<String> isCordoned,
            Instant now) {

        private Optional<Pod> pod(int ordinal) {
            return pods.stream()
                    .filter(pod -> Servers.ordinal(pod).equals(OptionalInt.of(ordinal)))
                    .findFirst();
        }
    }

    /** Decides the next replica count and partition of the StatefulSet. */
    public static Surge decide(Seen seen) {
        if (seen.wanted() != 1) {
            return new Surge(seen.wanted(), 0, Optional.empty());
        }
        if (seen.replacesInPlace()) {
            return new Surge(1, 0, Optional.empty());
        }
        return seen.statefulSet().map(live -> decide(seen, live)).orElse(REST);
    }

    private static Surge decide(Seen seen, StatefulSet live) {
        var first = seen.pod(0);
        var second = seen.pod(SECOND);
        boolean isFirstReady = first.filter(Surge::isReady).isPresent();
        boolean isSecondAlone = !isFirstReady && second.filter(Surge::isReady).isPresent();
        int replicas = live.getSpec().getReplicas() == null ? 1 : live.getSpec().getReplicas();
        int kept = Math.clamp(replicas, 1, 2);
        if (!seen.template().equals(annotation(live))) {
            // The serving replica keeps its template, whatever phase an earlier change is in.
            return new Surge(kept, isSecondAlone ? 2 : 1, Optional.of("a new template for the replicas"));
        }
        if (!Rollout.of(Optional.of(live)).isObserved()) {
            return new Surge(kept, partition(live), Optional.of("the StatefulSet controller"));
        }
        var update = Objects.requireNonNullElse(live.getStatus().getUpdateRevision(), "");
        if (isSecondAlone && !update.equals(revision(second.get()))) {
            return new Surge(2, 2, Optional.of("the first replica to be ready before the second one is replaced"));
        }
        if (first.isPresent() && !update.equals(revision(first.get()))) {
            return replaceFirst(first.get(), second, update, kept, seen.now());
        }
        if (isFirstReady && seen.isCordoned().test(node(first.get()))) {
            return new Surge(
                    2,
                    1,
                    Optional.of("the drain of node " + node(first.get()) + ", which is cordoned; the second replica "
                            + (second.filter(Surge::isReady).isPresent() ? "is ready" : "starts on another node")));
        }
        if (isFirstReady || kept == 1) {
            return REST;
        }
        return new Surge(2, partition(live), Optional.of("the first replica to be ready again"));
    }

    private static Surge replaceFirst(Pod first, Optional<Pod> second, String update, int replicas, Instant now) {
        boolean isSecondReady = second.filter(pod -> isReady(pod) && update.equals(revision(pod)))
                .isPresent();
        if (isSecondReady) {
            return new Surge(2, 0, Optional.of("the first replica to be replaced; the second one serves"));
        }
        boolean isBroken = Servers.notReadySince(first)
                .filter(since -> since.plus(UNREADY_LIMIT).isBefore(now))
                .isPresent();
        if (isBroken) {
            return new Surge(replicas, 0, Optional.of("the first replica, which is not ready, to be replaced"));
        }
        return new Surge(
                2,
                1,
                Optional.of("a second replica to be ready before the first one is replaced"
                        + second.flatMap(Surge::unschedulable)
                                .map(why -> "; it cannot be scheduled: " + why
                                        + " (to replace the first one without it, annotate the PolicyServer with "
                                        + ServerNames.REPLACE_IN_PLACE + "=true; requests fail meanwhile)")
                                .orElse("")));
    }

    private static boolean isReady(Pod pod) {
        return Servers.notReadySince(pod).isEmpty();
    }

    private static String revision(Pod pod) {
        return Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of())
                .getOrDefault(REVISION_LABEL, "");
    }

    public static String node(Pod pod) {
        return Objects.requireNonNullElse(pod.getSpec().getNodeName(), "");
    }

    private static Optional<String> unschedulable(Pod pod) {
        return pod.getStatus() == null
                ? Optional.empty()
                : pod.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals("PodScheduled")
                                && condition.getStatus().equals("False"))
                        .map(condition -> Objects.requireNonNullElse(condition.getMessage(), ""))
                        .findFirst();
    }

    private static @Nullable String annotation(StatefulSet live) {
        var annotations = live.getMetadata().getAnnotations();
        return annotations == null ? null : annotations.get(TEMPLATE_DIGEST);
    }

    private static int partition(StatefulSet live) {
        return Optional.ofNullable(live.getSpec().getUpdateStrategy())
                .map(StatefulSetUpdateStrategy::getRollingUpdate)
                .map(RollingUpdateStatefulSetStrategy::getPartition)
                .orElse(0);
    }

    /** Whether a change of a pod can change the decision. */
    public static boolean isSame(Pod before, Pod after) {
        return Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid())
                && isReady(before) == isReady(after)
                && node(before).equals(node(after))
                && unschedulable(before).equals(unschedulable(after));
    }
}
