package io.portcullis.controller.cluster;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.FilterWatchListDeletable;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.revision.PolicyRevision;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * All watches of the controller. Policies, policy servers, our webhooks, namespaces and cordoned nodes are watched in
 * the whole cluster. Other kinds are watched only in the controller's namespace, most of them only with our label.
 */
public final class ClusterView implements AutoCloseable {

    private final Map<PolicyKind, Watched<? extends Policy>> policies = new EnumMap<>(PolicyKind.class);
    private final Watched<PolicyServer> policyServers;
    private final Watched<PolicyRevision> revisions;
    private final Watched<ValidatingWebhookConfiguration> validatingWebhooks;
    private final Watched<MutatingWebhookConfiguration> mutatingWebhooks;
    private final Watched<StatefulSet> statefulSets;
    private final Watched<Pod> pods;
    private final Watched<Secret> secrets;
    private final Watched<ConfigMap> configMaps;
    private final Watched<Service> services;
    private final Watched<PersistentVolumeClaim> volumeClaims;
    private final Watched<PodDisruptionBudget> disruptionBudgets;
    private final Watched<Role> roles;
    private final Watched<RoleBinding> roleBindings;
    private final Watched<Deployment> deployments;
    private final Watched<Lease> leases;
    private final Watched<ServiceAccount> serviceAccounts;
    private final Watched<NetworkPolicy> networkPolicies;
    private final Watched<Namespace> namespaces;
    private final Watched<Node> cordonedNodes;
    private final List<Watched<?>> watches = new ArrayList<>();

    /** Creates the watches. They start with {@link #start}; add indexes and listeners before that. */
    public ClusterView(KubernetesClient client, String namespace) {
        policies.put(PolicyKind.CLUSTER_ADMISSION_POLICY, watch(client.resources(ClusterAdmissionPolicy.class)));
        policies.put(
                PolicyKind.CLUSTER_ADMISSION_POLICY_GROUP, watch(client.resources(ClusterAdmissionPolicyGroup.class)));
        policies.put(
                PolicyKind.ADMISSION_POLICY,
                watch(client.resources(AdmissionPolicy.class).inAnyNamespace()));
        policies.put(
                PolicyKind.ADMISSION_POLICY_GROUP,
                watch(client.resources(AdmissionPolicyGroup.class).inAnyNamespace()));
        policyServers = watch(client.resources(PolicyServer.class));
        revisions = watch(client.resources(PolicyRevision.class).inNamespace(namespace));
        var admission = client.admissionRegistration().v1();
        validatingWebhooks = watch(
                admission.validatingWebhookConfigurations().withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        mutatingWebhooks = watch(
                admission.mutatingWebhookConfigurations().withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        statefulSets =
                watch(client.apps().statefulSets().inNamespace(namespace).withLabel(PolicyServerNames.POD_LABEL));
        pods = watch(client.pods().inNamespace(namespace).withLabel(PolicyServerNames.POD_LABEL));
        secrets = watch(client.secrets().inNamespace(namespace));
        configMaps = watch(client.configMaps().inNamespace(namespace));
        services = watch(
                client.services().inNamespace(namespace).withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        volumeClaims = watch(client.persistentVolumeClaims()
                .inNamespace(namespace)
                .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        disruptionBudgets = watch(client.policy()
                .v1()
                .podDisruptionBudget()
                .inNamespace(namespace)
                .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        roles = watch(
                client.rbac().roles().inNamespace(namespace).withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        roleBindings = watch(client.rbac()
                .roleBindings()
                .inNamespace(namespace)
                .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        deployments = watch(client.apps().deployments().inNamespace(namespace).withLabel(PolicyServerNames.POD_LABEL));
        leases = watch(client.leases().inNamespace(namespace));
        serviceAccounts = watch(client.serviceAccounts().inNamespace(namespace));
        networkPolicies = watch(client.network()
                .v1()
                .networkPolicies()
                .inNamespace(namespace)
                .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE));
        namespaces = watch(client.namespaces());
        cordonedNodes = watch(client.nodes().withField("spec.unschedulable", "true"));
    }

    private <T extends HasMetadata, L extends KubernetesResourceList<T>> Watched<T> watch(
            FilterWatchListDeletable<T, L, ? extends Resource<T>> objects) {
        var watched = new Watched<>(objects.runnableInformer(0));
        watches.add(watched);
        return watched;
    }

    /** Starts all watches; returns when every initial list is complete. */
    public void start() {
        CompletableFuture.allOf(watches.stream().map(Watched::begin).toArray(CompletableFuture[]::new))
                .join();
    }

    public boolean hasSynced() {
        return watches.stream().allMatch(Watched::hasSynced);
    }

    /** Policies of all four kinds. */
    public Stream<Policy> policies() {
        return policies.values().stream().flatMap(watched -> watched.all().stream());
    }

    public Optional<Policy> policy(PolicyRef ref) {
        return policies(ref.kind()).get(ref.namespace(), ref.name()).map(policy -> policy);
    }

    @SuppressWarnings("NullAway") // the constructor fills in every kind
    public Watched<? extends Policy> policies(PolicyKind kind) {
        return policies.get(kind);
    }

    public Watched<PolicyServer> policyServers() {
        return policyServers;
    }

    public Watched<PolicyRevision> revisions() {
        return revisions;
    }

    public Watched<ValidatingWebhookConfiguration> validatingWebhooks() {
        return validatingWebhooks;
    }

    public Watched<MutatingWebhookConfiguration> mutatingWebhooks() {
        return mutatingWebhooks;
    }

    public Watched<StatefulSet> statefulSets() {
        return statefulSets;
    }

    public Watched<Pod> pods() {
        return pods;
    }

    public Watched<Secret> secrets() {
        return secrets;
    }

    public Watched<ConfigMap> configMaps() {
        return configMaps;
    }

    public Watched<Service> services() {
        return services;
    }

    public Watched<PersistentVolumeClaim> volumeClaims() {
        return volumeClaims;
    }

    public Watched<PodDisruptionBudget> disruptionBudgets() {
        return disruptionBudgets;
    }

    public Watched<Role> roles() {
        return roles;
    }

    public Watched<RoleBinding> roleBindings() {
        return roleBindings;
    }

    /** Policy servers of earlier releases. */
    public Watched<Deployment> deployments() {
        return deployments;
    }

    public Watched<Lease> leases() {
        return leases;
    }

    public Watched<ServiceAccount> serviceAccounts() {
        return serviceAccounts;
    }

    public Watched<NetworkPolicy> networkPolicies() {
        return networkPolicies;
    }

    /** All namespaces of the cluster. */
    public Watched<Namespace> namespaces() {
        return namespaces;
    }

    /** Nodes that accept no new pods, most often because they are about to be drained. */
    public Watched<Node> cordonedNodes() {
        return cordonedNodes;
    }

    @Override
    public void close() {
        watches.forEach(Watched::close);
    }
}
