package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policyserver.BoundPolicies.Hook;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The watched objects of policy servers. */
record ServerView(ClusterView cluster, String namespace) {

    Optional<PolicyServer> server(String name) {
        return cluster.policyServers().get("", name);
    }

    <T extends HasMetadata> Optional<T> find(Watched<T> objects, String name) {
        return objects.get(namespace, name);
    }

    Optional<StatefulSet> statefulSet(ServerNames names) {
        return find(cluster.statefulSets(), names.statefulSet());
    }

    List<Pod> pods(ServerNames names) {
        return cluster.pods().all().stream()
                .filter(pod -> names.server().equals(Servers.server(pod)))
                .toList();
    }

    Optional<Deployment> deployment(ServerNames names) {
        return find(cluster.deployments(), names.main());
    }

    Optional<Secret> secret(String name) {
        return find(cluster.secrets(), name);
    }

    /** Labels of a service account; empty when there is none of this name. */
    Optional<Map<String, String>> serviceAccountLabels(String name) {
        return find(cluster.serviceAccounts(), name).map(ServerView::labels);
    }

    /** Labels of a namespace; empty when there is none of this name. */
    Optional<Map<String, String>> namespaceLabels(String name) {
        return cluster.namespaces().get("", name).map(ServerView::labels);
    }

    private static Map<String, String> labels(HasMetadata object) {
        return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of());
    }

    Optional<ConfigMap> configMap(String name) {
        return find(cluster.configMaps(), name);
    }

    Optional<String> leader(ServerNames names) {
        return find(cluster.leases(), names.lease())
                .flatMap(lease -> Optional.ofNullable(lease.getSpec().getHolderIdentity()))
                .filter(holder -> !holder.isEmpty());
    }

    /** The policies that name a server. */
    List<Policy> policiesOf(String server) {
        return cluster.policies()
                .filter(policy -> policy.policyServerName().equals(server))
                .toList();
    }

    BoundPolicies bound(String server) {
        var hooks = Stream.concat(
                cluster.validatingWebhooks().all().stream().map(webhook -> Hook.of(webhook, namespace)),
                cluster.mutatingWebhooks().all().stream().map(webhook -> Hook.of(webhook, namespace)));
        return BoundPolicies.of(server, cluster.policies(), hooks, cluster.revisions().all().stream());
    }
}
