package io.portcullis.controller.policy.apply;

import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.controller.policy.metrics.PolicyMetrics;
import io.portcullis.controller.policy.observe.Observation;
import io.portcullis.core.lifecycle.Rollback;
import io.portcullis.process.kubernetes.EventWriter;
import java.util.Optional;

/** Executes the rollback that the annotation {@code kubewarden.io/rollback-to} requests, once. */
public final class RollbackRunner {

    private final PolicyWriter policies;
    private final EventWriter events;
    private final PolicyMetrics metrics;

    public RollbackRunner(PolicyWriter policies, EventWriter events, PolicyMetrics metrics) {
        this.policies = policies;
        this.events = events;
        this.metrics = metrics;
    }

    /** The annotation value that records which generation another generation restores. */
    static String note(long generation, long restored) {
        return generation + ":" + restored;
    }

    public static Optional<String> request(Policy policy) {
        return policy.isMarkedForDeletion() ? Optional.empty() : policy.annotation(PolicyNames.ROLLBACK_TO);
    }

    /** Runs the rollback and returns the updated policy. */
    public Policy run(Observation observation, String request) {
        var policy = observation.policy();
        return switch (Rollback.decide(
                request,
                observation.generation(),
                PolicyMode.of(policy.getSpec().path("mode").asText()),
                Rollback.candidates(observation.revisions()))) {
            case Rollback.Refused refused -> fail(policy, refused.message());
            case Rollback.To(long target) -> {
                var restored = Rollback.restoredSpec(
                        policy.getSpec(),
                        observation.revision(target).orElseThrow().getSpec().policySpec());
                if (CanonicalJson.digest(restored).equals(CanonicalJson.digest(policy.getSpec()))) {
                    yield fail(policy, "cannot roll back: the policy already has the content of generation " + target);
                }
                var changed = policies.rollBack(policy, restored, note(observation.generation() + 1, target));
                metrics.rolledBack(true);
                events.write(
                        policy,
                        false,
                        "RolledBack",
                        "rolled back from generation %d to the content of generation %d"
                                .formatted(observation.generation(), target));
                yield changed;
            }
        };
    }

    private Policy fail(Policy policy, String message) {
        var changed = policies.dropRollbackRequest(policy);
        metrics.rolledBack(false);
        events.write(policy, true, "RollbackFailed", message);
        return changed;
    }
}
