package io.portcullis.testkit.hostpods;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.RollingUpdateStatefulSetStrategy;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetUpdateStrategy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * An owner of pods: a StatefulSet, or a Deployment as in earlier releases.
 *
 * @param partition pods with a lower ordinal keep their template
 */
record Workload(HasMetadata object, int replicas, int partition, PodTemplateSpec template) {

    static Workload of(StatefulSet set) {
        var spec = set.getSpec();
        int partition = Optional.ofNullable(spec.getUpdateStrategy())
                .map(StatefulSetUpdateStrategy::getRollingUpdate)
                .map(RollingUpdateStatefulSetStrategy::getPartition)
                .orElse(0);
        return new Workload(set, spec.getReplicas(), partition, spec.getTemplate());
    }

    static Workload of(Deployment deployment) {
        return new Workload(
                deployment,
                deployment.getSpec().getReplicas(),
                0,
                deployment.getSpec().getTemplate());
    }

    String name() {
        return object.getMetadata().getName();
    }

    String uid() {
        return object.getMetadata().getUid();
    }

    private boolean isStateful() {
        return object instanceof StatefulSet;
    }

    /** Returns whether the workload is being deleted. Its pods are deleted first, then the object. */
    boolean isLeaving() {
        return object.getMetadata().getDeletionTimestamp() != null;
    }

    String podName(int ordinal) {
        return isStateful() ? name() + "-" + ordinal : name() + "-6bcdf-" + ordinal;
    }

    List<String> podNames() {
        return IntStream.range(0, isLeaving() ? 0 : replicas)
                .mapToObj(this::podName)
                .toList();
    }

    Map<String, String> labels(int ordinal) {
        var labels = new TreeMap<>(template.getMetadata().getLabels());
        if (isStateful()) {
            labels.put("apps.kubernetes.io/pod-index", Integer.toString(ordinal));
            labels.put("statefulset.kubernetes.io/pod-name", podName(ordinal));
            labels.put("controller-revision-hash", revision());
        }
        return labels;
    }

    /** Returns the revision name of the template, as the StatefulSet controller names its revisions. */
    String revision() {
        return "r" + Integer.toHexString(templateText().hashCode());
    }

    /** Returns the template as text. A pod with a different template text is outdated. */
    String templateText() {
        return Serialization.asJson(template);
    }
}
