package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policyserver.BoundPolicies.Hook;
import io.portcullis.controller.policyserver.rollout.Surge;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.controller.policyserver.workload.ReferencedObjects;
import io.portcullis.controller.queue.WorkQueue;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Enqueues PolicyServers when something that they depend on may have changed. Connect it before the watches start. */
public final class PolicyServerWatches {

    private final ClusterView cluster;
    private final ServerDefaults settings;
    private final Consumer<String> enqueue;

    private PolicyServerWatches(ClusterView cluster, ServerDefaults settings, Consumer<String> enqueue) {
        this.cluster = cluster;
        this.settings = settings;
        this.enqueue = enqueue;
    }

    public static void connect(ClusterView cluster, ServerDefaults settings, WorkQueue<String> queue) {
        var watches = new PolicyServerWatches(cluster, settings, queue::add);
        watches.onChange(
                cluster.policyServers(),
                PolicyServerWatches::isSameButForPolicies,
                server -> Set.of(server.getMetadata().getName()));
        watches.watchOwned(cluster.statefulSets());
        watches.watchOwned(cluster.services());
        watches.watchOwned(cluster.volumeClaims());
        watches.watchOwned(cluster.disruptionBudgets());
        watches.watchOwned(cluster.roles());
        watches.watchOwned(cluster.roleBindings());
        watches.watchOwned(cluster.deployments());
        watches.watchOwned(cluster.networkPolicies());
        watches.onChange(cluster.serviceAccounts(), account -> watches.usersOf(account));
        watches.onChange(cluster.pods(), Surge::isSame, pod -> Set.of(Servers.server(pod)));
        watches.onChange(cluster.cordonedNodes(), (_, _) -> true, node -> watches.serversOn(node));
        watches.onChange(cluster.secrets(), secret -> watches.ownersOrReaders(secret, true));
        watches.onChange(cluster.configMaps(), map -> watches.ownersOrReaders(map, false));
        watches.onChange(cluster.leases(), PolicyServerWatches::isSameHolder, PolicyServerWatches::serverOf);
        watches.watchPolicies();
    }

    /** Changes of policies matter only to servers that are being deleted, have no replicas or replace a Deployment. */
    private void watchPolicies() {
        for (PolicyKind kind : PolicyKind.values()) {
            onChange(cluster.policies(kind), policy -> waitingServers(Set.of(policy.policyServerName())));
            onChange(cluster.policies(kind), PolicyServerWatches::isSameGeneration, this::serversWithTenancy);
        }
        onChange(cluster.namespaces(), PolicyServerWatches::isSameLabels, _ -> serversWithTenancy());
        onChange(
                cluster.validatingWebhooks(),
                webhook -> waitingServers(Hook.of(webhook, settings.namespace()).servers()));
        onChange(
                cluster.mutatingWebhooks(),
                webhook -> waitingServers(Hook.of(webhook, settings.namespace()).servers()));
        onChange(
                cluster.revisions(),
                revision -> Optional.ofNullable(BoundPolicies.serverOf(revision))
                        .map(server -> waitingServers(Set.of(server)))
                        .orElseGet(Set::of));
    }

    private <T extends HasMetadata> void watchOwned(Watched<T> objects) {
        onChange(objects, PolicyServerWatches::owners);
    }

    private <T extends HasMetadata> void onChange(Watched<T> objects, Function<? super T, Set<String>> servers) {
        onChange(objects, (_, _) -> false, servers);
    }

    private <T extends HasMetadata> void onChange(
            Watched<T> objects, BiPredicate<? super T, ? super T> isAlike, Function<? super T, Set<String>> servers) {
        objects.onChange((before, after) -> {
            if (before != null && after != null && isAlike.test(before, after)) {
                return;
            }
            var names = new HashSet<String>();
            collect(before, servers, names);
            collect(after, servers, names);
            names.forEach(enqueue);
        });
    }

    private static <T> void collect(@Nullable T object, Function<? super T, Set<String>> servers, Set<String> names) {
        if (object != null) {
            names.addAll(servers.apply(object));
        }
    }

    private static Set<String> owners(HasMetadata object) {
        var names = new HashSet<String>();
        object.getMetadata().getOwnerReferences().stream()
                .filter(owner -> owner.getKind().equals(ServerSpec.KIND))
                .forEach(owner -> names.add(owner.getName()));
        return names;
    }

    private Set<String> serversOn(Node node) {
        return cluster.pods().all().stream()
                .filter(pod -> node.getMetadata().getName().equals(Surge.node(pod)))
                .map(Servers::server)
                .collect(Collectors.toSet());
    }

    private Set<String> usersOf(ServiceAccount account) {
        return cluster.policyServers().all().stream()
                .filter(server -> account.getMetadata()
                        .getName()
                        .equals(server.getSpec().path("serviceAccountName").asText()))
                .map(server -> server.getMetadata().getName())
                .collect(Collectors.toSet());
    }

    /** Servers with tenancy rules. Their status lists the policies that violate the rules. */
    private Set<String> serversWithTenancy() {
        return cluster.policyServers().all().stream()
                .filter(server -> server.getSpec().has("tenancy"))
                .map(server -> server.getMetadata().getName())
                .collect(Collectors.toSet());
    }

    private Set<String> serversWithTenancy(Policy policy) {
        var server = policy.policyServerName();
        return serversWithTenancy().contains(server) ? Set.of(server) : Set.of();
    }

    /** A policy with an unchanged generation gives the same result. */
    private static boolean isSameGeneration(HasMetadata before, HasMetadata after) {
        return Objects.equals(before.getMetadata().getUid(), after.getMetadata().getUid())
                && Objects.equals(
                        before.getMetadata().getGeneration(),
                        after.getMetadata().getGeneration())
                && Objects.equals(
                        before.getMetadata().getDeletionTimestamp(),
                        after.getMetadata().getDeletionTimestamp());
    }

    private static boolean isSameLabels(HasMetadata before, HasMetadata after) {
        return Objects.equals(
                before.getMetadata().getLabels(), after.getMetadata().getLabels());
    }

    /** The servers that own the object, and the servers that refer to it. */
    private Set<String> ownersOrReaders(HasMetadata object, boolean isSecret) {
        var names = owners(object);
        var name = object.getMetadata().getName();
        var isForAll = isSecret && name.equals(ServerNames.CA_SECRET);
        for (PolicyServer server : cluster.policyServers().all()) {
            if (isForAll || isReader(server, name, isSecret)) {
                names.add(server.getMetadata().getName());
            }
        }
        return names;
    }

    private boolean isReader(PolicyServer server, String name, boolean isSecret) {
        try {
            return ReferencedObjects.isReader(ServerSpec.of(server, settings), name, isSecret);
        } catch (FlatObject.MalformedException e) {
            return false;
        }
    }

    /** Ignores the policy summary in the status, which another writer owns and which changes often. */
    private static boolean isSameButForPolicies(PolicyServer before, PolicyServer after) {
        var old = before.getMetadata();
        var now = after.getMetadata();
        return Objects.equals(old.getUid(), now.getUid())
                && Objects.equals(old.getGeneration(), now.getGeneration())
                && Objects.equals(old.getDeletionTimestamp(), now.getDeletionTimestamp())
                && Objects.equals(old.getFinalizers(), now.getFinalizers())
                && Objects.equals(
                        Optional.ofNullable(before.getStatus()).map(PolicyServerStatus::withoutPolicies),
                        Optional.ofNullable(after.getStatus()).map(PolicyServerStatus::withoutPolicies));
    }

    /** Ignores renewals of a lease; only the holder matters. */
    private static boolean isSameHolder(Lease before, Lease after) {
        return Objects.equals(
                before.getSpec().getHolderIdentity(), after.getSpec().getHolderIdentity());
    }

    private static Set<String> serverOf(Lease lease) {
        return PolicyServerNames.policyServer(lease.getMetadata().getName())
                .map(Set::of)
                .orElseGet(Set::of);
    }

    /** The status of a server without replicas counts the policies that it does not enforce. */
    private static boolean countsPolicies(PolicyServer server) {
        return server.getSpec().path("replicas").asInt(0) == 0;
    }

    private Set<String> waitingServers(Set<String> servers) {
        var view = new ServerView(cluster, settings.namespace());
        return servers.stream()
                .filter(name -> view.server(name)
                                .filter(server ->
                                        server.getMetadata().getDeletionTimestamp() != null || countsPolicies(server))
                                .isPresent()
                        || view.deployment(new ServerNames(name)).isPresent())
                .collect(Collectors.toSet());
    }
}
