package io.portcullis.testkit.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.time.Duration;

/** Builds and runs pods for the tests of this package. All of them comply with Pod Security "restricted". */
final class Pods {

    static final Duration LIMIT = Duration.ofSeconds(90);

    private Pods() {}

    /** Builds a pod that runs a shell script in busybox. */
    static PodBuilder shell(TestCluster cluster, String name, String script) {
        return container(cluster, name, "localhost/busybox:1")
                .editSpec()
                .editFirstContainer()
                .withCommand("sh", "-c", script)
                .endContainer()
                .endSpec();
    }

    static PodBuilder container(TestCluster cluster, String name, String image) {
        return new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(cluster.namespace())
                .addToLabels("app", name)
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .withTerminationGracePeriodSeconds(1L)
                .withNewSecurityContext()
                .withRunAsNonRoot(true)
                .withRunAsUser(65532L)
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile()
                .endSecurityContext()
                .addNewContainer()
                .withName("main")
                .withImage(image)
                .withImagePullPolicy("Never")
                .withNewSecurityContext()
                .withAllowPrivilegeEscalation(false)
                .withReadOnlyRootFilesystem(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .endSecurityContext()
                .endContainer()
                .endSpec();
    }

    /** Runs the pod to its end and returns its output. */
    static String runToCompletion(TestCluster cluster, Pod pod) {
        cluster.apply(pod);
        var resource = cluster.client().pods().withName(pod.getMetadata().getName());
        var ended = cluster.await(resource, Pods::hasEnded, LIMIT);
        var log = resource.getLog();
        if (!"Succeeded".equals(ended.getStatus().getPhase())) {
            throw new AssertionError("the pod failed and printed: " + log);
        }
        return log.strip();
    }

    /** Starts the pod and returns when it runs. */
    static Pod start(TestCluster cluster, Pod pod) {
        cluster.apply(pod);
        var resource = cluster.client().pods().withName(pod.getMetadata().getName());
        return cluster.await(resource, p -> "Running".equals(p.getStatus().getPhase()), LIMIT);
    }

    private static boolean hasEnded(Pod pod) {
        return switch (pod.getStatus().getPhase()) {
            case "Succeeded", "Failed" -> true;
            case null, default -> false;
        };
    }
}
