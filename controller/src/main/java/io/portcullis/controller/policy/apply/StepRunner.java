package io.portcullis.controller.policy.apply;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec.PinnedArtifact;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.controller.cluster.ApiWriter;
import io.portcullis.controller.cluster.Failure;
import io.portcullis.controller.policy.metrics.PolicyMetrics;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.controller.policy.webhook.WebhookRendering;
import io.portcullis.controller.policy.webhook.WebhookWriter;
import io.portcullis.core.lifecycle.Rollback;
import io.portcullis.core.lifecycle.Step;
import io.portcullis.process.kubernetes.EventWriter;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Executes the steps of a plan in order. A crash or conflict may end it after any step; the next pass starts from the
 * state at that time.
 */
public final class StepRunner {

    private final PolicyObjects objects;
    private final DesiredRevision desiredRevision;
    private final RevisionWriter revisions;
    private final WebhookWriter webhooks;
    private final PolicyWriter policies;
    private final WebhookRendering rendering;
    private final EventWriter events;
    private final PolicyMetrics metrics;

    public StepRunner(
            PolicyObjects objects,
            DesiredRevision desiredRevision,
            RevisionWriter revisions,
            WebhookWriter webhooks,
            PolicyWriter policies,
            WebhookRendering rendering,
            EventWriter events,
            PolicyMetrics metrics) {
        this.objects = objects;
        this.desiredRevision = desiredRevision;
        this.revisions = revisions;
        this.webhooks = webhooks;
        this.policies = policies;
        this.rendering = rendering;
        this.events = events;
        this.metrics = metrics;
    }

    /**
     * Runs all steps, unless the API server rejects the content of one. Then the remaining steps must not run; they
     * would retire the registered generation in favour of one that cannot be registered.
     *
     * @return the refusal
     */
    public Optional<String> run(Observation observation, List<Step> steps) {
        for (Step step : steps) {
            try {
                run(observation, step);
            } catch (KubernetesClientException e) {
                // A refused deletion says nothing about the content. It is logged and retried like other failures.
                if (ApiWriter.isRefusal(e) && !(step instanceof Step.Unregister)) {
                    return Optional.of("the API server refuses it: " + Failure.text(e));
                }
                if (!(ApiWriter.isMissing(e) && step instanceof Step.RemoveFinalizer)) {
                    throw e;
                }
            }
        }
        return Optional.empty();
    }

    private void run(Observation observation, Step step) {
        switch (step) {
            case Step.CreateRevision _ -> create(observation);
            case Step.Enable enable -> revisions.enable(latest(observation, enable.revision()));
            case Step.Disable disable -> disable(observation, disable.revision());
            // Uses the observed object, so that a replica that withdraws its report in the meantime causes a conflict.
            case Step.Activate activate -> revisions.activate(observation.revision(activate.revision()));
            case Step.Drain drain ->
                revisions.stamp(latest(observation, drain.revision()), RevisionNames.DISABLE_AFTER, drain.until());
            case Step.AddFinalizer _ -> policies.addFinalizer(latest(observation));
            case Step.Register register -> register(observation, latest(observation, register.revision()));
            case Step.Unregister _ -> unregister(observation);
            case Step.RemoveFinalizer _ -> policies.removeFinalizer(latest(observation));
            case Step.Expire expire ->
                revisions.stamp(latest(observation, expire.revision()), RevisionNames.DELETE_AFTER, expire.at());
            case Step.DeleteRevision delete -> revisions.delete(latest(observation, delete.revision()));
        }
    }

    /** The revision in its latest version, because an earlier step of this plan may have changed it. */
    private PolicyRevision latest(Observation observation, String revision) {
        return objects.revisions(observation.policy().getMetadata().getUid()).stream()
                .filter(candidate -> candidate.getMetadata().getName().equals(revision))
                .findFirst()
                .orElseGet(() -> observation.revision(revision));
    }

    private Policy latest(Observation observation) {
        return objects.policy(observation.policy().ref()).orElse(observation.policy());
    }

    private void create(Observation observation) {
        var policy = observation.policy();
        var restored = restored(observation);
        var revision = restored.map(old -> desiredRevision.of(
                        policy,
                        OptionalLong.of(old.getSpec().policyGeneration()),
                        old.statusOrEmpty().artifacts().stream()
                                .map(artifact ->
                                        new PinnedArtifact(artifact.member(), artifact.module(), artifact.digest()))
                                .toList()))
                .orElseGet(() -> desiredRevision.of(policy));
        var created = revisions.create(revision);
        recordEvent(
                observation,
                false,
                "RevisionCreated",
                "created revision " + created.getMetadata().getName() + " of generation " + observation.generation());
    }

    /** The revision that the current generation restores; only if the content really is the same. */
    private static Optional<PolicyRevision> restored(Observation observation) {
        var note = observation.policy().annotation(PolicyNames.ROLLED_BACK).orElse("");
        return observation.revisions().stream()
                .filter(revision -> note.equals(RollbackRunner.note(
                        observation.generation(), revision.getSpec().policyGeneration())))
                .filter(revision -> {
                    var live = observation.policy().getSpec();
                    var old = Rollback.restoredSpec(live, revision.getSpec().policySpec());
                    return CanonicalJson.digest(old).equals(CanonicalJson.digest(live));
                })
                .findFirst();
    }

    private void disable(Observation observation, String name) {
        var revision = latest(observation, name);
        revisions.disable(revision);
        if (revision.getSpec().active()) {
            recordEvent(
                    observation,
                    false,
                    "PreviousRevisionDisabled",
                    "generation " + revision.getSpec().policyGeneration() + " is no longer served");
        }
    }

    private void register(Observation observation, PolicyRevision revision) {
        boolean isRepair = isRepair(observation, revision);
        boolean isMove = observation.observed().webhook().generation()
                != revision.getSpec().policyGeneration();
        webhooks.register(revision, observation.precedence().loss(), observation.webhooks());
        if (isRepair) {
            metrics.driftCorrected();
            recordEvent(
                    observation,
                    true,
                    "WebhookDriftCorrected",
                    "the webhook was changed or removed; restored it to generation "
                            + revision.getSpec().policyGeneration());
        } else if (isMove) {
            metrics.activated(
                    observation.policyId(),
                    Instant.parse(revision.getMetadata().getCreationTimestamp()),
                    observation.observed().timing().now());
        }
    }

    /** Whether a user changed the webhook. New certificates, precedence and a controller upgrade also change it. */
    private boolean isRepair(Observation observation, PolicyRevision revision) {
        var status = observation.policy().getStatus();
        boolean wasRegistered = status != null
                && status.activeGeneration() == revision.getSpec().policyGeneration();
        if (!wasRegistered || observation.webhooks().size() > 1) {
            return false;
        }
        return observation
                .webhook()
                .map(live -> !rendering.differsInCertificatesOnly(
                                live, revision, observation.precedence().loss())
                        && !rendering.lacksExemptionOnly(
                                live, revision, observation.precedence().loss())
                        && !rendering.isOfOtherPrecedence(
                                live, revision, observation.precedence().loss()))
                .orElse(observation.observed().policy().hasFinalizer());
    }

    private void unregister(Observation observation) {
        webhooks.unregister(
                observation.policyId(), observation.policy().getMetadata().getUid());
        if (observation.policy().isMarkedForDeletion()) {
            metrics.deleted(observation.policyId());
            recordEvent(observation, false, "WebhookRemoved", "the webhook was removed, the policy is being deleted");
        }
    }

    private void recordEvent(Observation observation, boolean isWarning, String reason, String message) {
        events.write(observation.policy(), isWarning, reason, message);
    }
}
