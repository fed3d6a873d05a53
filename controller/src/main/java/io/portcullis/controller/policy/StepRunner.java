package io.portcullis.controller.policy;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.lifecycle.Rollback;
import io.portcullis.api.lifecycle.Step;
import io.portcullis.api.lifecycle.TransitionEvents.Happening;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec.PinnedArtifact;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.controller.cluster.Failure;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Does the steps of a plan, in order. Any of them may be the last before a crash or a conflict: the next pass starts from
 * what is there then.
 */
final class StepRunner {

    private final PolicyObjects objects;
    private final DesiredRevision frozen;
    private final RevisionWriter revisions;
    private final WebhookWriter webhooks;
    private final PolicyWriter policies;
    private final WebhookRendering rendering;
    private final EventRecorder events;
    private final PolicyMetrics metrics;

    StepRunner(
            PolicyObjects objects,
            DesiredRevision frozen,
            RevisionWriter revisions,
            WebhookWriter webhooks,
            PolicyWriter policies,
            WebhookRendering rendering,
            EventRecorder events,
            PolicyMetrics metrics) {
        this.objects = objects;
        this.frozen = frozen;
        this.revisions = revisions;
        this.webhooks = webhooks;
        this.policies = policies;
        this.rendering = rendering;
        this.events = events;
        this.metrics = metrics;
    }

    /**
     * Does them all, unless the API server refuses the content of one: then the rest must not happen either, or what is
     * registered would be retired for the sake of something that cannot be.
     *
     * @return the refusal
     */
    Optional<String> run(Observation world, List<Step> steps) {
        for (Step step : steps) {
            try {
                run(world, step);
            } catch (KubernetesClientException e) {
                if (ApiWriter.isRefusal(e)) {
                    return Optional.of("the API server refuses it: " + Failure.text(e));
                }
                if (!(ApiWriter.isMissing(e) && step instanceof Step.RemoveFinalizer)) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    private void run(Observation world, Step step) {
        switch (step) {
            case Step.CreateRevision _ -> create(world);
            case Step.Enable enable -> revisions.enable(now(world, enable.revision()));
            case Step.Disable disable -> disable(world, disable.revision());
            // The very object whose reports were judged: a replica that takes its word back meanwhile prevents this.
            case Step.Activate activate -> revisions.activate(world.revision(activate.revision()));
            case Step.Drain drain ->
                revisions.stamp(now(world, drain.revision()), RevisionNames.DISABLE_AFTER, drain.until());
            case Step.AddFinalizer _ -> policies.addFinalizer(now(world));
            case Step.Register register -> register(world, now(world, register.revision()));
            case Step.Unregister _ -> unregister(world);
            case Step.RemoveFinalizer _ -> policies.removeFinalizer(now(world));
            case Step.Expire expire ->
                revisions.stamp(now(world, expire.revision()), RevisionNames.DELETE_AFTER, expire.at());
            case Step.DeleteRevision delete -> revisions.delete(now(world, delete.revision()));
        }
    }

    /** As an earlier step of this plan may have left it. */
    private PolicyRevision now(Observation world, String revision) {
        return objects.revisions(world.policy().getMetadata().getUid()).stream()
                .filter(candidate -> candidate.getMetadata().getName().equals(revision))
                .findFirst()
                .orElseGet(() -> world.revision(revision));
    }

    private Policy now(Observation world) {
        return objects.policy(world.policy().ref()).orElse(world.policy());
    }

    private void create(Observation world) {
        var policy = world.policy();
        var restored = restored(world);
        var revision = restored.map(old -> frozen.of(
                        policy,
                        OptionalLong.of(old.getSpec().policyGeneration()),
                        RevisionWriter.status(old).artifacts().stream()
                                .map(artifact ->
                                        new PinnedArtifact(artifact.member(), artifact.module(), artifact.digest()))
                                .toList()))
                .orElseGet(() -> frozen.of(policy));
        var created = revisions.create(revision);
        tell(
                world,
                false,
                "RevisionCreated",
                "created revision " + created.getMetadata().getName() + " of generation " + world.generation());
    }

    /** The revision whose content the present generation brings back; believed only if it really does. */
    private static Optional<PolicyRevision> restored(Observation world) {
        var note = world.policy().annotation(PolicyNames.ROLLED_BACK).orElse("");
        return world.revisions().stream()
                .filter(revision -> note.equals(RollbackRunner.note(
                        world.generation(), revision.getSpec().policyGeneration())))
                .filter(revision -> {
                    var live = world.policy().getSpec();
                    var old = Rollback.restoredSpec(live, revision.getSpec().policySpec());
                    return CanonicalJson.digest(old).equals(CanonicalJson.digest(live));
                })
                .findFirst();
    }

    private void disable(Observation world, String name) {
        var revision = now(world, name);
        revisions.disable(revision);
        if (revision.getSpec().active()) {
            tell(
                    world,
                    false,
                    "PreviousRevisionDisabled",
                    "generation " + revision.getSpec().policyGeneration() + " is no longer served");
        }
    }

    private void register(Observation world, PolicyRevision revision) {
        boolean isRepair = isRepair(world, revision);
        boolean isMove =
                world.observed().webhook().generation() != revision.getSpec().policyGeneration();
        webhooks.register(revision, world.precedence().loss(), world.webhooks());
        if (isRepair) {
            metrics.driftCorrected();
            tell(
                    world,
                    true,
                    "WebhookDriftCorrected",
                    "the webhook was changed or removed; it is again as generation "
                            + revision.getSpec().policyGeneration() + " asks for");
        } else if (isMove) {
            metrics.activated(
                    world.policyId(),
                    Instant.parse(revision.getMetadata().getCreationTimestamp()),
                    world.observed().timing().now());
        }
    }

    /** Whether a user changed the webhook. New certificates, precedence and an upgrade of the controller change it, too. */
    private boolean isRepair(Observation world, PolicyRevision revision) {
        var status = world.policy().getStatus();
        boolean wasRegistered = status != null
                && status.activeGeneration() == revision.getSpec().policyGeneration();
        if (!wasRegistered || world.webhooks().size() > 1) {
            return false;
        }
        return world.webhook()
                .map(live -> !rendering.differsInCertificatesOnly(
                                live, revision, world.precedence().loss())
                        && !rendering.lacksExemptionOnly(
                                live, revision, world.precedence().loss())
                        && !rendering.isOfOtherPrecedence(
                                live, revision, world.precedence().loss()))
                .orElse(world.observed().policy().hasFinalizer());
    }

    private void unregister(Observation world) {
        webhooks.unregister(world.policyId(), world.policy().getMetadata().getUid());
        if (world.policy().isMarkedForDeletion()) {
            metrics.deleted(world.policyId());
            tell(world, false, "WebhookRemoved", "the webhook was removed, the policy is being deleted");
        }
    }

    private void tell(Observation world, boolean isWarning, String reason, String message) {
        events.record(world.policy(), new Happening(isWarning, reason, message));
    }
}
