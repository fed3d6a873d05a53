package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
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
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.affected.AffectedPass;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policy.observe.PrecedenceView;
import io.portcullis.controller.policy.status.ServerSummary;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.core.precedence.OptIn;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Maps each change in the cluster to the policies that depend on it, and enqueues them. Replaces polling. Our own status
 * writes enqueue no policy.
 */
final class PolicyWatches {

    /** The Secret with the certificates for webhooks. */
    private static final String AUTHORITY = "kubewarden-ca";

    private final PolicyObjects objects;
    private final IdentityScheme scheme;
    private final PolicyQueues queues;

    PolicyWatches(PolicyObjects objects, IdentityScheme scheme, PolicyQueues queues) {
        this.objects = objects;
        this.scheme = scheme;
        this.queues = queues;
    }

    /** Call before the watches start. */
    void connect(ClusterView view) {
        for (PolicyKind kind : PolicyKind.values()) {
            view.policies(kind).onChange(this::policyChanged);
        }
        view.revisions().onChange((before, after) -> revisionChanged(either(before, after), before, after));
        view.validatingWebhooks().onChange((before, after) -> webhookChanged(either(before, after), after == null));
        view.mutatingWebhooks().onChange((before, after) -> webhookChanged(either(before, after), after == null));
        view.policyServers().onChange((before, after) -> {
            if (before == null || after == null || isChanged(before, after)) {
                serverChanged(either(before, after).getMetadata().getName());
            }
        });
        view.statefulSets().onChange(this::workloadChanged);
        view.deployments().onChange((before, after) -> {
            if (before == null || after == null) {
                server(either(before, after)).ifPresent(this::enqueuePoliciesOf);
            }
        });
        view.pods().onChange(this::podChanged);
        view.leases().onChange(this::leaseChanged);
        view.secrets().onChange((before, after) -> secretChanged(either(before, after)));
        view.namespaces().onChange(this::namespaceChanged);
    }

    private static <T> T either(@Nullable T before, @Nullable T after) {
        return after == null ? Objects.requireNonNull(before) : after;
    }

    /** Whether anything except the status has changed. */
    private static boolean isChanged(HasMetadata before, HasMetadata after) {
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
        if (before == null || after == null || ServerSummary.isCountedDifferently(before, after)) {
            Stream.of(before, after)
                    .filter(Objects::nonNull)
                    .map(Policy::policyServerName)
                    .forEach(queues::summary);
        }
        if (before == null || after == null || isChanged(before, after)) {
            queues.policy(policy.ref());
        }
        if (before == null || after == null || AffectedPass.isReachChanged(before, after)) {
            queues.affected();
        }
        if (before == null || after == null || isChanged(before, after) || isEnforced(before) != isEnforced(after)) {
            Stream.of(before, after).filter(Objects::nonNull).forEach(this::enqueuePrecedencePeers);
        }
        if (after == null) {
            queues.sweep();
        }
        if (scheme == IdentityScheme.LEGACY && (before == null || after == null || after.isMarkedForDeletion())) {
            objects.withId(scheme.policyId(policy.ref())).forEach(rival -> queues.policy(rival.ref()));
        }
    }

    private static boolean isEnforced(Policy policy) {
        return PrecedenceView.isEnforced(policy);
    }

    /** Enqueues the policies whose precedence depends on this one. Namespaced policies do not affect each other. */
    private void enqueuePrecedencePeers(Policy policy) {
        OptIn.of(policy)
                .key()
                .ifPresent(key -> objects.withKey(key).stream()
                        .filter(other -> !(policy.policyKind().isNamespaced()
                                && other.policyKind().isNamespaced()))
                        .filter(other -> !other.ref().equals(policy.ref()))
                        .forEach(other -> queues.policy(other.ref())));
    }

    /** Enqueues the policies with precedence, because they may now match other namespaces. */
    private void namespaceChanged(@Nullable Namespace before, @Nullable Namespace after) {
        boolean isSame = before != null
                && after != null
                && before.getMetadata().getLabels().equals(after.getMetadata().getLabels());
        if (isSame) {
            return;
        }
        queues.affected();
        objects.withAnyKey().forEach(policy -> queues.policy(policy.ref()));
    }

    private void revisionChanged(
            PolicyRevision revision, @Nullable PolicyRevision before, @Nullable PolicyRevision after) {
        var reference = revision.getSpec().objectReference();
        PolicyKind.parse(reference.kind())
                .ifPresent(kind -> queues.policy(
                        new PolicyRef(kind, Objects.requireNonNullElse(reference.namespace(), ""), reference.name())));
        if (before != null && after != null) {
            var earlier = reports(before);
            reports(after).stream()
                    .filter(report -> !earlier.contains(report))
                    .forEach(report -> queues.probeReport(
                            revision.policyServer(),
                            report.replica(),
                            revision.getSpec().policyID()));
        }
    }

    /** The conditions of replicas, which can be verified by a probe; the leader's cannot. */
    private static List<Condition> reports(PolicyRevision revision) {
        return revision.statusOrEmpty().conditions().stream()
                .filter(condition -> condition.replica() != Condition.NO_REPLICA)
                .toList();
    }

    /** Match by name, because labels and annotations may have been removed. */
    private void webhookChanged(HasMetadata webhook, boolean isGone) {
        objects.withId(webhook.getMetadata().getName()).forEach(policy -> {
            queues.policy(policy.ref());
            if (!policy.policyKind().isNamespaced()) {
                enqueuePrecedencePeers(policy);
            }
        });
        if (!isGone) {
            queues.probeWebhook(new LiveWebhook(webhook));
        }
    }

    private void serverChanged(String server) {
        queues.probeEverything(server);
        queues.summary(server);
        enqueuePoliciesOf(server);
    }

    /** Enqueues the policies that name the server, and those whose webhook still points to it. */
    private void enqueuePoliciesOf(String server) {
        objects.ofServer(server).forEach(policy -> queues.policy(policy.ref()));
        queues.policiesServedBy(server);
    }

    private void workloadChanged(@Nullable StatefulSet before, @Nullable StatefulSet after) {
        if (before == null
                || after == null
                || !Objects.equals(before.getSpec(), after.getSpec())
                || !Objects.equals(before.getStatus(), after.getStatus())) {
            server(either(before, after)).ifPresent(this::enqueuePoliciesOf);
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
                queues.probeEverything(server);
                enqueuePoliciesOf(server);
            });
        }
    }

    private static Optional<String> server(HasMetadata object) {
        return Optional.ofNullable(
                Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of())
                        .get(PolicyServerNames.POD_LABEL));
    }

    /** Ignores renewals; only a new holder, or a first one, matters. */
    private void leaseChanged(@Nullable Lease before, @Nullable Lease after) {
        var name = either(before, after).getMetadata().getName();
        if (!holder(before).equals(holder(after))) {
            PolicyServerNames.policyServer(name).ifPresent(this::enqueuePoliciesOf);
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
            PolicyServerNames.policyServer(name).ifPresent(queues::probeEverything);
        }
    }

    /** Enqueues all policies, so that their webhooks are rendered again (E19). */
    void authorityChanged() {
        objects.policies().forEach(policy -> queues.policy(policy.ref()));
    }
}
