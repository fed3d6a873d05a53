package io.portcullis.controller.policy;

import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.core.lifecycle.Observed;
import io.portcullis.core.lifecycle.Rollback;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.util.Optional;

/** Executes the rollback that the annotation {@code kubewarden.io/rollback-to} requests, once. */
final class RollbackRunner {

    private final PolicyWriter policies;
    private final EventRecorder events;
    private final PolicyMetrics metrics;

    RollbackRunner(PolicyWriter policies, EventRecorder events, PolicyMetrics metrics) {
        this.policies = policies;
        this.events = events;
        this.metrics = metrics;
    }

    /** The annotation value that records which generation another generation restores. */
    static String note(long generation, long restored) {
        return generation + ":" + restored;
    }

    static Optional<String> request(Policy policy) {
        return policy.isMarkedForDeletion() ? Optional.empty() : policy.annotation(PolicyNames.ROLLBACK_TO);
    }

    /** Runs the rollback and returns the updated policy. */
    Policy run(Observation observation, String request) {
        var policy = observation.policy();
        Observed observed = observation.observed();
        return switch (Rollback.decide(request, observation.generation(), mode(policy), observed.revisions())) {
            case Rollback.Refused refused -> fail(policy, refused.message());
            case Rollback.To to -> {
                long target = to.revision().generation();
                var restored = Rollback.restoredSpec(
                        policy.getSpec(),
                        observation.revision(to.revision().name()).getSpec().policySpec());
                if (CanonicalJson.digest(restored).equals(CanonicalJson.digest(policy.getSpec()))) {
                    yield fail(policy, "cannot roll back: the policy already has the content of generation " + target);
                }
                var changed = policies.rollBack(policy, restored, note(observation.generation() + 1, target));
                metrics.rolledBack(true);
                events.record(
                        policy,
                        new EventDraft(
                                false,
                                "RolledBack",
                                "rolled back from generation %d to the content of generation %d"
                                        .formatted(observation.generation(), target)));
                yield changed;
            }
        };
    }

    private Policy fail(Policy policy, String message) {
        var changed = policies.dropRollbackRequest(policy);
        metrics.rolledBack(false);
        events.record(policy, new EventDraft(true, "RollbackFailed", message));
        return changed;
    }

    private static PolicyMode mode(Policy policy) {
        return PolicyMode.MONITOR
                        .wireName()
                        .equals(policy.getSpec().path("mode").asText())
                ? PolicyMode.MONITOR
                : PolicyMode.PROTECT;
    }
}
