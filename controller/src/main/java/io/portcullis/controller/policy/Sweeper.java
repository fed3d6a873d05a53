package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.lifecycle.History;
import io.portcullis.api.lifecycle.History.Owned;
import io.portcullis.api.lifecycle.Revision;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.controller.queue.Reconciler;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Removes what policies left behind: revisions whose time has come or whose policy is gone, webhooks without a policy, and
 * what an earlier identity scheme named. Before anything goes because its policy is gone, the API server itself is asked.
 */
public final class Sweeper implements Reconciler<Sweeper.Everything> {

    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final PolicySettings settings;
    private final KubernetesClient client;
    private final PolicyObjects objects;
    private final ApiWriter api;
    private final RevisionReadings readings;
    private final RevisionWriter revisions;
    private final Clock clock;

    /** There is only one thing to sweep. */
    public enum Everything {
        EVERYTHING
    }

    Sweeper(
            PolicySettings settings,
            KubernetesClient client,
            PolicyObjects objects,
            ApiWriter api,
            RevisionReadings readings,
            RevisionWriter revisions,
            Clock clock) {
        this.settings = settings;
        this.client = client;
        this.objects = objects;
        this.api = api;
        this.readings = readings;
        this.revisions = revisions;
        this.clock = clock;
    }

    @Override
    public Optional<Duration> reconcile(Everything key) {
        var live = objects.policies()
                .map(policy -> policy.getMetadata().getUid())
                .collect(Collectors.toCollection(HashSet::new));
        sweepRevisions(live);
        sweepWebhooks();
        return Optional.of(next());
    }

    private void sweepRevisions(Set<String> live) {
        var all = objects.revisions();
        var expired = History.expired(
                        all.stream()
                                .map(revision -> new Owned(
                                        revision.getSpec().objectReference().uid(), readings.of(revision)))
                                .toList(),
                        live,
                        clock.instant())
                .stream()
                .map(Revision::name)
                .collect(Collectors.toSet());
        for (PolicyRevision revision : all) {
            boolean isStamped = readings.of(revision).switches().deleteAfter().isPresent();
            if (expired.contains(revision.getMetadata().getName())) {
                if (isStamped || isGone(revision)) {
                    revisions.delete(revision);
                }
            } else if (!isStamped && isOfEarlierScheme(revision)) {
                revisions.stamp(
                        revision, RevisionNames.DELETE_AFTER, clock.instant().plus(settings.drain()));
            }
        }
    }

    private boolean isGone(PolicyRevision revision) {
        var reference = revision.getSpec().objectReference();
        return PolicyKind.parse(reference.kind())
                .map(kind ->
                        new PolicyRef(kind, Objects.requireNonNullElse(reference.namespace(), ""), reference.name()))
                .flatMap(this::ask)
                .filter(policy -> policy.getMetadata().getUid().equals(reference.uid()))
                .isEmpty();
    }

    /** Its policy lives on under another unique name, and no webhook of the old name is left. */
    private boolean isOfEarlierScheme(PolicyRevision revision) {
        var id = revision.getSpec().policyID();
        return objects.withId(id).isEmpty()
                && objects.validatingWebhook(id).isEmpty()
                && objects.mutatingWebhook(id).isEmpty();
    }

    private void sweepWebhooks() {
        for (var object : objects.webhooks()) {
            var webhook = new LiveWebhook(object);
            var owner = WebhookOwner.of(webhook, objects, settings.identityScheme());
            boolean isOrphan = switch (owner) {
                case WebhookOwner.NotOurs _, WebhookOwner.Known _ -> false;
                case WebhookOwner.Renamed renamed -> isRegisteredAnew(renamed.policy());
                case WebhookOwner.Gone gone ->
                    gone.candidates().stream()
                            .noneMatch(ref -> ask(ref).filter(policy -> webhook.belongsTo(
                                            policy.getMetadata().getUid()))
                                    .isPresent());
            };
            if (isOrphan) {
                api.delete(object);
            }
        }
    }

    /** Under the name that it has now. */
    private boolean isRegisteredAnew(Policy policy) {
        var id = settings.identityScheme().policyId(policy.ref());
        return objects.validatingWebhook(id).isPresent()
                || objects.mutatingWebhook(id).isPresent();
    }

    /** As the API server has it, not as the watch has it. */
    private Optional<? extends Policy> ask(PolicyRef ref) {
        return Optional.ofNullable(
                switch (ref.kind()) {
                    case ADMISSION_POLICY ->
                        client.resources(AdmissionPolicy.class)
                                .inNamespace(ref.namespace())
                                .withName(ref.name())
                                .get();
                    case ADMISSION_POLICY_GROUP ->
                        client.resources(AdmissionPolicyGroup.class)
                                .inNamespace(ref.namespace())
                                .withName(ref.name())
                                .get();
                    case CLUSTER_ADMISSION_POLICY ->
                        client.resources(ClusterAdmissionPolicy.class)
                                .withName(ref.name())
                                .get();
                    case CLUSTER_ADMISSION_POLICY_GROUP ->
                        client.resources(ClusterAdmissionPolicyGroup.class)
                                .withName(ref.name())
                                .get();
                });
    }

    private Duration next() {
        var now = clock.instant();
        List<Instant> stamps = objects.revisions().stream()
                .map(revision -> readings.of(revision).switches().deleteAfter())
                .flatMap(Optional::stream)
                .filter(now::isBefore)
                .toList();
        return stamps.stream()
                .map(at -> Duration.between(now, at).plusMillis(1))
                .filter(time -> time.compareTo(INTERVAL) < 0)
                .min(Duration::compareTo)
                .orElse(INTERVAL);
    }
}
