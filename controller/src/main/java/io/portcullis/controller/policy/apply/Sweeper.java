package io.portcullis.controller.policy.apply;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.objects.RevisionReadings;
import io.portcullis.controller.policy.observe.PolicySettings;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.controller.policy.webhook.WebhookOwner;
import io.portcullis.controller.queue.OnlyKey;
import io.portcullis.controller.queue.Reconciler;
import io.portcullis.core.lifecycle.History;
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
 * Deletes leftovers of policies: expired revisions, revisions and webhooks without a policy, and objects named by an
 * earlier identity scheme. Reads from the API server before it deletes an object because the policy is gone.
 */
public final class Sweeper implements Reconciler<OnlyKey> {

    private static final Duration INTERVAL = Duration.ofSeconds(30);

    private final PolicySettings settings;
    private final KubernetesClient client;
    private final PolicyObjects objects;
    private final ApiWriter api;
    private final RevisionReadings readings;
    private final RevisionWriter revisions;
    private final Clock clock;

    public Sweeper(
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
    public Optional<Duration> reconcile(OnlyKey key) {
        var live = objects.policies()
                .map(policy -> policy.getMetadata().getUid())
                .collect(Collectors.toCollection(HashSet::new));
        sweepRevisions(live);
        sweepWebhooks();
        return Optional.of(next());
    }

    private void sweepRevisions(Set<String> live) {
        var now = clock.instant();
        for (PolicyRevision revision : objects.revisions()) {
            var read = readings.of(revision);
            boolean isStamped = read.switches().deleteAfter().isPresent();
            boolean isPolicyGone =
                    !live.contains(revision.getSpec().objectReference().uid());
            if (History.isExpired(read, isPolicyGone, now)) {
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
                .flatMap(this::readFromApiServer)
                .filter(policy -> policy.getMetadata().getUid().equals(reference.uid()))
                .isEmpty();
    }

    /** Whether the policy exists under another unique name, and no webhook of the old name is left. */
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
                case WebhookOwner.NotOurs _, WebhookOwner.Present _ -> false;
                case WebhookOwner.Renamed renamed -> isRegisteredUnderNewName(renamed.policy());
                case WebhookOwner.Gone gone ->
                    gone.candidates().stream()
                            .noneMatch(ref -> readFromApiServer(ref)
                                    .filter(policy -> webhook.belongsTo(
                                            policy.getMetadata().getUid()))
                                    .isPresent());
            };
            if (isOrphan) {
                api.delete(object);
            }
        }
    }

    /** Whether a webhook exists under the policy's current name. */
    private boolean isRegisteredUnderNewName(Policy policy) {
        var id = settings.identityScheme().policyId(policy.ref());
        return objects.validatingWebhook(id).isPresent()
                || objects.mutatingWebhook(id).isPresent();
    }

    /** Reads the policy from the API server instead of the watch cache. */
    private Optional<? extends Policy> readFromApiServer(PolicyRef ref) {
        var policies = client.resources(ref.kind().type());
        var scope = ref.kind().isNamespaced() ? policies.inNamespace(ref.namespace()) : policies;
        return Optional.ofNullable(scope.withName(ref.name()).get());
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
