package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The replicas of a policy server. */
final class DesiredStatefulSet {

    /** Longer than the longest drain of a policy server and the longest webhook timeout: requests under way are answered. */
    private static final long TERMINATION_SECONDS = 50;

    /** User and group of our image. */
    private static final long GROUP = 65532;

    private DesiredStatefulSet() {}

    /**
     * Decides.
     *
     * @param template see {@link #template}
     * @param surge how many replicas there are, and which may be replaced
     */
    static StatefulSet of(ServerSpec blueprint, PodTemplateSpec template, Surge surge) {
        var names = blueprint.names();
        var fleet = blueprint.spec().fleet();
        var annotations = new TreeMap<>(fleet.annotations());
        annotations.put(Surge.TEMPLATE_DIGEST, Applied.digest(template));
        return new StatefulSetBuilder()
                .withMetadata(blueprint
                        .metadata(names.statefulSet(), names.workload(fleet.labels()))
                        .withAnnotations(annotations)
                        .build())
                .withNewSpec()
                .withServiceName(names.podsService())
                .withReplicas(surge.replicas())
                // One broken pod must not keep the others from starting.
                .withPodManagementPolicy("Parallel")
                .withNewUpdateStrategy()
                .withType("RollingUpdate")
                .withNewRollingUpdate()
                .withPartition(surge.partition())
                .endRollingUpdate()
                .endUpdateStrategy()
                .withNewSelector()
                .withMatchLabels(names.selector())
                .endSelector()
                .withTemplate(template)
                .endSpec()
                .build();
    }

    /**
     * What each replica is made from.
     *
     * @param configHash of everything pods read only when they start; a change rolls them
     */
    static PodTemplateSpec template(ServerSpec blueprint, String configHash) {
        var fleet = blueprint.spec().fleet();
        var podAnnotations = new TreeMap<>(fleet.annotations());
        podAnnotations.put(ServerNames.CONFIG_HASH, configHash);
        var telemetry = blueprint.settings().telemetry();
        if (telemetry.isOn() && telemetry.sidecar()) {
            podAnnotations.put("sidecar.opentelemetry.io/inject", "true");
        }
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(blueprint.names().pod(fleet.labels()))
                .withAnnotations(podAnnotations)
                .endMetadata()
                .withSpec(pod(blueprint))
                .build();
    }

    private static PodSpec pod(ServerSpec blueprint) {
        var settings = blueprint.settings();
        var scheduling = blueprint.spec().scheduling();
        var files = PodVolumes.of(blueprint);
        return new PodSpecBuilder()
                .withServiceAccountName(blueprint.serviceAccount())
                .withImagePullSecrets(settings.imagePullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withSecurityContext(podSecurity(blueprint))
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                .withHostNetwork(settings.hostNetwork() ? true : null)
                .withDnsPolicy(settings.hostNetwork() ? "ClusterFirstWithHostNet" : "ClusterFirst")
                .withAffinity(affinity(blueprint, scheduling.affinity()))
                .withTolerations(scheduling.tolerations())
                .withTopologySpreadConstraints(scheduling.topologySpreadConstraints())
                .withPriorityClassName(scheduling.priorityClassName())
                .withContainers(container(blueprint, files))
                .withVolumes(files.volumes())
                .build();
    }

    /**
     * Replicas prefer different nodes. Also while there is one replica, for which it means nothing: otherwise scaling up
     * would restart it.
     */
    private static Affinity affinity(ServerSpec blueprint, @Nullable Affinity wanted) {
        if (wanted != null) {
            return wanted;
        }
        return new AffinityBuilder()
                .withNewPodAntiAffinity()
                .addNewPreferredDuringSchedulingIgnoredDuringExecution()
                .withWeight(100)
                .withNewPodAffinityTerm()
                .withTopologyKey("kubernetes.io/hostname")
                .withNewLabelSelector()
                .withMatchLabels(blueprint.names().selector())
                .endLabelSelector()
                .endPodAffinityTerm()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endPodAntiAffinity()
                .build();
    }

    private static PodSecurityContext podSecurity(ServerSpec blueprint) {
        var wanted = blueprint.spec().container().securityContexts();
        if (wanted != null && wanted.pod() != null) {
            return wanted.pod();
        }
        var hardened = new PodSecurityContextBuilder()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile();
        if (blueprint.hasSharedCache()) {
            // A volume from elsewhere belongs to root unless the kubelet is told who writes to it.
            hardened.withFsGroup(GROUP).withFsGroupChangePolicy("OnRootMismatch");
        }
        return hardened.build();
    }

    private static SecurityContext containerSecurity(ServerSpec blueprint) {
        var wanted = blueprint.spec().container().securityContexts();
        if (wanted != null && wanted.container() != null) {
            return wanted.container();
        }
        return new SecurityContextBuilder()
                .withReadOnlyRootFilesystem(true)
                .withPrivileged(false)
                .withAllowPrivilegeEscalation(false)
                .withRunAsNonRoot(true)
                .withNewCapabilities()
                .withDrop("ALL")
                .endCapabilities()
                .build();
    }

    private static Container container(ServerSpec blueprint, PodVolumes files) {
        var container = blueprint.spec().container();
        var ports = blueprint.spec().ports();
        int probes = ports.effectiveReadinessProbePort();
        return new ContainerBuilder()
                .withName(blueprint.names().main())
                .withImage(blueprint.spec().fleet().image())
                .withEnv(PodEnvironment.of(blueprint).variables())
                .withPorts(port("webhook", ports.effectiveWebhookPort()), port("probes", probes))
                .withReadinessProbe(probe("/readiness", probes, 2, 3))
                .withStartupProbe(probe("/liveness", probes, 5, 60))
                // Trouble with a policy never shows here: a restart would not help it and would hurt the others.
                .withLivenessProbe(probe("/liveness", probes, 10, 6))
                .withSecurityContext(containerSecurity(blueprint))
                .withNewResources()
                .withLimits(container.limits())
                .withRequests(container.requests())
                .endResources()
                .withVolumeMounts(files.mounts())
                .build();
    }

    private static ContainerPort port(String name, int number) {
        return new ContainerPortBuilder()
                .withName(name)
                .withContainerPort(number)
                .withProtocol("TCP")
                .build();
    }

    private static Probe probe(String path, int port, int periodSeconds, int failures) {
        return new ProbeBuilder()
                .withNewHttpGet()
                .withPath(path)
                .withNewPort(port)
                .withScheme("HTTP")
                .endHttpGet()
                .withPeriodSeconds(periodSeconds)
                .withTimeoutSeconds(2)
                .withFailureThreshold(failures)
                .build();
    }
}
