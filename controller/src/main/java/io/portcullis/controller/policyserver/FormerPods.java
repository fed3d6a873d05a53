package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Collection;
import java.util.List;

/**
 * Pods of a StatefulSet that is gone, on their way out. A new one of the same name wants their names: Kubernetes would try to
 * make them in vain, with ever longer pauses of up to a quarter of an hour.
 */
final class FormerPods {

    private FormerPods() {}

    /**
     * Their names.
     *
     * @param statefulSet which is not there; pods that nobody owns are taken over by a new one
     */
    static List<String> of(String statefulSet, Collection<Pod> pods) {
        return pods.stream()
                .filter(pod -> pod.getMetadata().getOwnerReferences().stream()
                        .anyMatch(owner -> isStatefulSet(owner, statefulSet)))
                .map(pod -> pod.getMetadata().getName())
                .sorted()
                .toList();
    }

    private static boolean isStatefulSet(OwnerReference owner, String name) {
        return "StatefulSet".equals(owner.getKind()) && name.equals(owner.getName());
    }
}
