package io.portcullis.controller.policyserver.workload;

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
import io.portcullis.controller.policyserver.rollout.Surge;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The desired StatefulSet of a policy server. */
public final class DesiredStatefulSet {

    /**
     * Longer than the longest drain of a policy server and the longest webhook timeout, so that requests in flight are
     * answered.
     */
    private static final long TERMINATION_SECONDS = 50;

    /** User and group of our image. */
    private static final long GROUP = 65532;

    private DesiredStatefulSet() {}

    /**
     * Builds the StatefulSet.
     *
     * @param template see {@link #template}
     * @param surge the number of replicas, and which of them may be replaced
     */
    public static StatefulSet of(ServerSpec serverSpec, PodTemplateSpec template, Surge surge) {
        var names = serverSpec.names();
        var fleet = serverSpec.spec().fleet();
        var annotations = new TreeMap<>(fleet.annotations());
        annotations.put(Surge.TEMPLATE_DIGEST, Applied.digest(template));
        return new StatefulSetBuilder()
                .withMetadata(serverSpec
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
     * The pod template of each replica.
     *
     * @param configHash of everything that pods read only at start; a change rolls the pods
     */
    public static PodTemplateSpec template(ServerSpec serverSpec, String configHash) {
        var fleet = serverSpec.spec().fleet();
        var podAnnotations = new TreeMap<>(fleet.annotations());
        podAnnotations.put(ServerNames.CONFIG_HASH, configHash);
        var telemetry = serverSpec.settings().telemetry();
        if (telemetry.isOn() && telemetry.sidecar()) {
            podAnnotations.put("sidecar.opentelemetry.io/inject", "true");
        }
        return new PodTemplateSpecBuilder()
                .withNewMetadata()
                .withLabels(serverSpec.names().pod(fleet.labels()))
                .withAnnotations(podAnnotations)
                .endMetadata()
                .withSpec(pod(serverSpec))
                .build();
    }

    private static PodSpec pod(ServerSpec serverSpec) {
        var settings = serverSpec.settings();
        var scheduling = serverSpec.spec().scheduling();
        var files = PodVolumes.of(serverSpec);
        return new PodSpecBuilder()
                .withServiceAccountName(serverSpec.serviceAccount())
                .withImagePullSecrets(settings.imagePullSecrets().stream()
                        .map(LocalObjectReference::new)
                        .toList())
                .withSecurityContext(podSecurity(serverSpec))
                .withTerminationGracePeriodSeconds(TERMINATION_SECONDS)
                .withHostNetwork(settings.hostNetwork() ? true : null)
                .withDnsPolicy(settings.hostNetwork() ? "ClusterFirstWithHostNet" : "ClusterFirst")
                .withAffinity(affinity(serverSpec, scheduling.affinity()))
                .withTolerations(scheduling.tolerations())
                .withTopologySpreadConstraints(scheduling.topologySpreadConstraints())
                .withPriorityClassName(scheduling.priorityClassName())
                .withContainers(container(serverSpec, files))
                .withVolumes(files.volumes())
                .build();
    }

    /**
     * Replicas prefer different nodes. The rule is also set for one replica, where it has no effect: otherwise scaling
     * up would restart that replica.
     */
    private static Affinity affinity(ServerSpec serverSpec, @Nullable Affinity wanted) {
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
                .withMatchLabels(serverSpec.names().selector())
                .endLabelSelector()
                .endPodAffinityTerm()
                .endPreferredDuringSchedulingIgnoredDuringExecution()
                .endPodAntiAffinity()
                .build();
    }

    private static PodSecurityContext podSecurity(ServerSpec serverSpec) {
        var wanted = serverSpec.spec().container().securityContexts();
        if (wanted != null && wanted.pod() != null) {
            return wanted.pod();
        }
        var hardened = new PodSecurityContextBuilder()
                .withNewSeccompProfile()
                .withType("RuntimeDefault")
                .endSeccompProfile();
        if (serverSpec.hasSharedCache()) {
            // An external volume belongs to root unless fsGroup is set.
            hardened.withFsGroup(GROUP).withFsGroupChangePolicy("OnRootMismatch");
        }
        return hardened.build();
    }

    private static SecurityContext containerSecurity(ServerSpec serverSpec) {
        var wanted = serverSpec.spec().container().securityContexts();
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

    private static Container container(ServerSpec serverSpec, PodVolumes files) {
        var container = serverSpec.spec().container();
        var ports = serverSpec.spec().ports();
        int probes = ports.effectiveReadinessProbePort();
        return new ContainerBuilder()
                .withName(serverSpec.names().main())
                .withImage(serverSpec.spec().fleet().image())
                .withEnv(PodEnvironment.of(serverSpec).variables())
                .withPorts(port("webhook", ports.effectiveWebhookPort()), port("probes", probes))
                .withReadinessProbe(probe("/readiness", probes, 2, 3))
                .withStartupProbe(probe("/liveness", probes, 5, 60))
                // A failing policy never affects this probe: a restart would not repair it and would disturb the
                // others.
                .withLivenessProbe(probe("/liveness", probes, 10, 6))
                .withSecurityContext(containerSecurity(serverSpec))
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
