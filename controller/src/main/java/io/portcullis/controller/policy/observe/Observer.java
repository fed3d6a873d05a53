package io.portcullis.controller.policy.observe;

import io.portcullis.api.policy.IdentityConflicts;
import io.portcullis.api.policy.IdentityConflicts.Claim;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.objects.RevisionReadings;
import io.portcullis.controller.policy.objects.Servers;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.controller.policy.webhook.MatchConditionSupport;
import io.portcullis.controller.policy.webhook.WebhookRendering;
import io.portcullis.core.lifecycle.Observed;
import io.portcullis.core.lifecycle.Observed.PolicyView;
import io.portcullis.core.lifecycle.Observed.Timing;
import io.portcullis.core.lifecycle.Observed.WebhookView;
import io.portcullis.core.lifecycle.Revision;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.validation.FieldError;
import io.portcullis.core.validation.PolicyValidation;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Collects the state of one policy. Reads only memory, except for the first check of match condition support. */
public final class Observer {

    private final PolicySettings settings;
    private final PolicyObjects objects;
    private final RevisionReadings readings;
    private final Servers servers;
    private final WebhookRendering rendering;
    private final PrecedenceView precedence;
    private final PolicyValidation validation;
    private final BooleanSupplier supportsMatchConditions;
    private final Clock clock;
    private final Map<PolicyRef, Validated> validated = new ConcurrentHashMap<>();

    /** @param supportsMatchConditions whether the API server supports match conditions */
    public Observer(
            PolicySettings settings,
            PolicyObjects objects,
            RevisionReadings readings,
            Servers servers,
            WebhookRendering rendering,
            PrecedenceView precedence,
            BooleanSupplier supportsMatchConditions,
            Clock clock) {
        this.settings = settings;
        this.objects = objects;
        this.readings = readings;
        this.servers = servers;
        this.rendering = rendering;
        this.precedence = precedence;
        this.supportsMatchConditions = supportsMatchConditions;
        this.clock = clock;
        this.validation =
                new PolicyValidation(settings.identityScheme(), settings.namespace(), settings.acceptsAllInside());
    }

    public Observation observe(Policy policy) {
        var metadata = policy.getMetadata();
        var policyId = settings.identityScheme().policyId(policy.ref());
        // The sweeper handles revisions of another identity scheme.
        var revisions = objects.revisions(metadata.getUid()).stream()
                .filter(revision -> revision.getSpec().policyID().equals(policyId))
                .sorted(Comparator.comparingLong(revision -> revision.getSpec().policyGeneration()))
                .toList();
        var readRevisions = revisions.stream().map(readings::of).toList();
        var webhooks = webhooks(policyId, metadata.getUid(), readRevisions);
        var precedenceOutcome = precedence.of(policy);
        var target = servers.target(policy.policyServerName());
        var conflicts = conflicts(policy, policyId);
        var fidelity = webhooks.stream()
                .findFirst()
                .map(webhook -> rendering.fidelity(webhook, revision(revisions, webhook), precedenceOutcome.loss()));
        var observed = new Observed(
                new PolicyView(
                        metadata.getGeneration(),
                        policy.isMarkedForDeletion(),
                        policy.hasFinalizer(PolicyNames.FINALIZER) || policy.hasFinalizer(PolicyNames.LEGACY_FINALIZER),
                        !conflicts.isEmpty(),
                        precedenceOutcome.loss().isTotal(),
                        false),
                target,
                readRevisions,
                view(webhooks, fidelity, revisions, readRevisions),
                servers.replicas(target),
                servers.hasPredecessor(policy.policyServerName()),
                new Timing(
                        clock.instant(),
                        settings.drain(),
                        settings.grace(),
                        servers.historyLimit(policy.policyServerName()).orElse(settings.historyLimit())));
        return new Observation(
                policy,
                policyId,
                defect(policy),
                conflicts,
                precedenceOutcome,
                revisions,
                webhooks,
                fidelity,
                observed);
    }

    /** The error that admission would report, or the feature that this API server does not support. */
    private Optional<String> defect(Policy policy) {
        var errors = defects(policy);
        if (errors.isEmpty()) {
            boolean isUnsupported =
                    !policy.getSpec().path("matchConditions").isEmpty() && !supportsMatchConditions.getAsBoolean();
            return isUnsupported ? Optional.of(MatchConditionSupport.UNSUPPORTED) : Optional.empty();
        }
        return Optional.of(errors.stream().map(FieldError::toString).collect(Collectors.joining("; ")));
    }

    /** Validates each object once. */
    @SuppressWarnings("ReferenceEquality") // comparing contents costs more than validating them
    private List<FieldError> defects(Policy policy) {
        return validated
                .compute(
                        policy.ref(),
                        (_, cached) -> cached != null && cached.object() == policy
                                ? cached
                                : new Validated(policy, validation.defects(policy)))
                .defects();
    }

    private record Validated(Policy object, List<FieldError> defects) {}

    /** Drops the cached result of a deleted policy. */
    public void dropCached(PolicyRef policy) {
        validated.remove(policy);
    }

    private List<String> conflicts(Policy policy, String policyId) {
        if (settings.identityScheme() == IdentityScheme.DOTTED) {
            return List.of();
        }
        var claims = objects.withId(policyId).stream()
                .filter(rival -> !rival.isMarkedForDeletion())
                .map(rival ->
                        new Claim(rival.ref(), Instant.parse(rival.getMetadata().getCreationTimestamp())))
                .toList();
        return IdentityConflicts.find(settings.identityScheme(), claims).getOrDefault(policy.ref(), List.of()).stream()
                .map(PolicyRef::display)
                .toList();
    }

    /**
     * The policy's webhooks. A webhook whose revision is in use comes first, then the one with the newest generation.
     */
    private List<LiveWebhook> webhooks(String policyId, String uid, List<Revision> revisions) {
        return Stream.concat(objects.validatingWebhook(policyId).stream(), objects.mutatingWebhook(policyId).stream())
                .map(LiveWebhook::new)
                .filter(webhook -> webhook.belongsTo(uid))
                .sorted(Comparator.comparing((LiveWebhook webhook) -> isRevisionInUse(webhook, revisions))
                        .thenComparingLong(LiveWebhook::generation)
                        .reversed())
                .toList();
    }

    private static boolean isRevisionInUse(LiveWebhook webhook, List<Revision> revisions) {
        long generation = webhook.generation();
        return revisions.stream()
                .anyMatch(revision -> revision.generation() == generation && revision.isWebhookTarget());
    }

    private WebhookView view(
            List<LiveWebhook> webhooks,
            Optional<Fidelity> fidelity,
            List<PolicyRevision> revisions,
            List<Revision> readRevisions) {
        if (webhooks.isEmpty()) {
            return WebhookView.ABSENT;
        }
        var webhook = webhooks.getFirst();
        return new WebhookView(
                true,
                isRevisionInUse(webhook, readRevisions) ? webhook.generation() : 0,
                webhooks.size() == 1 && fidelity.orElseThrow() instanceof Fidelity.Exact,
                servers.isGoingAway(serverInUse(webhook, revisions, readRevisions)));
    }

    /** The server of the revision that should be registered, because a user may have changed the webhook. */
    private static String serverInUse(
            LiveWebhook webhook, List<PolicyRevision> revisions, List<Revision> readRevisions) {
        long generation = webhook.generation();
        return readRevisions.stream()
                .filter(Revision::isWebhookTarget)
                .max(Comparator.comparing((Revision revision) -> revision.generation() == generation)
                        .thenComparingLong(Revision::generation))
                .flatMap(inUse -> revisions.stream()
                        .filter(revision -> revision.getMetadata().getName().equals(inUse.name()))
                        .findFirst())
                .map(PolicyRevision::policyServer)
                .orElseGet(webhook::policyServer);
    }

    private static Optional<PolicyRevision> revision(List<PolicyRevision> revisions, LiveWebhook webhook) {
        long generation = webhook.generation();
        return revisions.stream()
                .filter(revision -> revision.getSpec().policyGeneration() == generation)
                .findFirst();
    }
}
