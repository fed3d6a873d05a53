package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.precedence.OptIn;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.affected.AffectedPass;
import io.portcullis.controller.cluster.ClusterView;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which change wakes which policy. Nobody polls: what a policy depends on finds its way back to it here. Our own status
 * writes wake nobody.
 */
final class PolicyWatches {

    /** Holds the certificates that webhooks are rendered with. */
    private static final String AUTHORITY = "kubewarden-ca";

    private final PolicyObjects objects;
    private final IdentityScheme scheme;
    private final Wakes wakes;

    /** Who is to be woken. */
    record Wakes(
            Consumer<PolicyRef> policy,
            Probes probes,
            Consumer<String> serverSummary,
            Runnable sweeper,
            Runnable affected) {}

    /** What replicas are to be asked. */
    interface Probes {

        /** Whatever they serve. */
        void everything(String server);

        /** Whether it is true what this replica reports on a policy. */
        void reported(String server, int replica, String policyId);

        /** Whether they serve what the webhook leads to. */
        void registered(LiveWebhook webhook);
    }

    PolicyWatches(PolicyObjects objects, IdentityScheme scheme, Wakes wakes) {
        this.objects = objects;
        this.scheme = scheme;
        this.wakes = wakes;
    }

    /** To be called before the watches start. */
    void connect(ClusterView view) {
        for (PolicyKind kind : PolicyKind.values()) {
            view.policies(kind).onChange(this::policyChanged);
        }
        view.revisions().onChange((before, after) -> revisionChanged(either(before, after), before, after));
        view.validatingWebhooks().onChange((before, after) -> webhookChanged(either(before, after), after == null));
        view.mutatingWebhooks().onChange((before, after) -> webhookChanged(either(before, after), after == null));
        view.policyServers().onChange((before, after) -> {
            if (before == null || after == null || isOtherwise(before, after)) {
                serverChanged(either(before, after).getMetadata().getName());
            }
        });
        view.statefulSets().onChange(this::workloadChanged);
        view.deployments().onChange((before, after) -> {
            if (before == null || after == null) {
                server(either(before, after)).ifPresent(this::policiesOf);
            }
        });
        view.pods().onChange(this::podChanged);
        view.leases().onChange(this::leaseChanged);
        view.secrets().onChange((before, after) -> secretChanged(either(before, after)));
    }

    private static <T> T either(@Nullable T before, @Nullable T after) {
        return after == null ? Objects.requireNonNull(before) : after;
    }

    /** Something but the status is new. */
    private static boolean isOtherwise(HasMetadata before, HasMetadata after) {
        var old = before.getMetadata();
        var now = after.getMetadata();
        return !Objects.equals(old.getGeneration(), now.getGeneration())
                || !Objects.equals(old.getDeletionTimestamp(), now.getDeletionTimestamp())
                || !Objects.equals(old.getAnnotations(), now.getAnnotations())
                || !Objects.equals(old.getFinalizers(), now.getFinalizers())
                || !Objects.equals(old.getUid(), now.getUid());
    }

    private void policyChanged(@Nullable Policy before, @Nullable Policy after) {
        var policy = either(before, after);
        if (before == null || after == null || ServerSummary.tellsOtherwise(before, after)) {
            Stream.of(before, after)
                    .filter(Objects::nonNull)
                    .map(Policy::policyServerName)
                    .forEach(wakes.serverSummary());
        }
        if (before == null || after == null || isOtherwise(before, after)) {
            wakes.policy().accept(policy.ref());
        }
        if (before == null || after == null || AffectedPass.seesOtherwise(before, after)) {
            wakes.affected().run();
        }
        if (before == null || after == null || isOtherwise(before, after) || isEnforced(before) != isEnforced(after)) {
            Stream.of(before, after).filter(Objects::nonNull).forEach(this::precedenceOf);
        }
        if (after == null) {
            wakes.sweeper().run();
        }
        if (scheme == IdentityScheme.LEGACY && (before == null || after == null || after.isMarkedForDeletion())) {
            objects.withId(scheme.policyId(policy.ref()))
                    .forEach(rival -> wakes.policy().accept(rival.ref()));
        }
    }

    private static boolean isEnforced(Policy policy) {
        return PrecedenceView.isEnforced(policy);
    }

    /** Those whose part in precedence depends on this one. Policies of namespaces mean nothing to each other. */
    private void precedenceOf(Policy policy) {
        OptIn.of(policy)
                .key()
                .ifPresent(key -> objects.withKey(key).stream()
                        .filter(other -> !(policy.policyKind().isNamespaced()
                                && other.policyKind().isNamespaced()))
                        .filter(other -> !other.ref().equals(policy.ref()))
                        .forEach(other -> wakes.policy().accept(other.ref())));
    }

    /** Who sees what may have changed. */
    void namespaceChanged() {
        objects.withAnyKey().forEach(policy -> wakes.policy().accept(policy.ref()));
    }

    private void revisionChanged(
            PolicyRevision revision, @Nullable PolicyRevision before, @Nullable PolicyRevision after) {
        var reference = revision.getSpec().objectReference();
        PolicyKind.parse(reference.kind())
                .ifPresent(kind -> wakes.policy()
                        .accept(new PolicyRef(
                                kind, Objects.requireNonNullElse(reference.namespace(), ""), reference.name())));
        if (before != null && after != null) {
            var known = reports(before);
            reports(after).stream()
                    .filter(report -> !known.contains(report))
                    .forEach(report -> wakes.probes()
                            .reported(
                                    RevisionWriter.policyServer(revision),
                                    report.replica(),
                                    revision.getSpec().policyID()));
        }
    }

    /** What replicas say, which they can be asked about; the leader cannot. */
    private static List<Condition> reports(PolicyRevision revision) {
        return RevisionWriter.status(revision).conditions().stream()
                .filter(condition -> condition.replica() != Condition.NO_REPLICA)
                .toList();
    }

    /** By name: whoever stripped labels and annotations left that. */
    private void webhookChanged(HasMetadata webhook, boolean isGone) {
        objects.withId(webhook.getMetadata().getName()).forEach(policy -> {
            wakes.policy().accept(policy.ref());
            if (!policy.policyKind().isNamespaced()) {
                precedenceOf(policy);
            }
        });
        if (!isGone) {
            wakes.probes().registered(new LiveWebhook(webhook));
        }
    }

    private void serverChanged(String server) {
        wakes.probes().everything(server);
        wakes.serverSummary().accept(server);
        policiesOf(server);
    }

    /** Those that name it, and those whose webhook still leads there. */
    private void policiesOf(String server) {
        objects.ofServer(server).forEach(policy -> wakes.policy().accept(policy.ref()));
        objects.webhooks().stream()
                .filter(webhook -> new LiveWebhook(webhook).policyServer().equals(server))
                .flatMap(webhook -> objects.withId(webhook.getMetadata().getName()).stream())
                .forEach(policy -> wakes.policy().accept(policy.ref()));
    }

    private void workloadChanged(@Nullable StatefulSet before, @Nullable StatefulSet after) {
        if (before == null
                || after == null
                || !Objects.equals(before.getSpec(), after.getSpec())
                || !Objects.equals(before.getStatus(), after.getStatus())) {
            server(either(before, after)).ifPresent(this::policiesOf);
        }
    }

    private void podChanged(@Nullable Pod before, @Nullable Pod after) {
        boolean isSameTraffic = before != null
                && after != null
                && Servers.notReadySince(before).equals(Servers.notReadySince(after))
                && before.getMetadata().getUid().equals(after.getMetadata().getUid())
                && Objects.equals(
                        before.getStatus().getPodIP(), after.getStatus().getPodIP());
        if (!isSameTraffic) {
            server(either(before, after)).ifPresent(server -> {
                wakes.probes().everything(server);
                policiesOf(server);
            });
        }
    }

    private static Optional<String> server(HasMetadata object) {
        return Optional.ofNullable(
                Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of())
                        .get(PolicyServerNames.POD_LABEL));
    }

    /** Renewals are no news; somebody else, or somebody at all, is. */
    private void leaseChanged(@Nullable Lease before, @Nullable Lease after) {
        var name = either(before, after).getMetadata().getName();
        if (!holder(before).equals(holder(after))) {
            PolicyServerNames.policyServer(name).ifPresent(this::policiesOf);
        }
    }

    private static Optional<String> holder(@Nullable Lease lease) {
        return Optional.ofNullable(lease).map(Lease::getSpec).map(LeaseSpec::getHolderIdentity);
    }

    private void secretChanged(Secret secret) {
        var name = secret.getMetadata().getName();
        if (name.equals(AUTHORITY)) {
            authorityChanged();
        } else {
            PolicyServerNames.policyServer(name).ifPresent(wakes.probes()::everything);
        }
    }

    /** Webhooks are to be rendered anew (E19). */
    void authorityChanged() {
        objects.policies().forEach(policy -> wakes.policy().accept(policy.ref()));
    }
}
