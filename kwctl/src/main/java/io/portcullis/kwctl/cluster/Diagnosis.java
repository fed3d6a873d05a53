package io.portcullis.kwctl.cluster;

import static io.portcullis.api.condition.ConditionType.ACCEPTED;
import static io.portcullis.api.condition.ConditionType.ENFORCED;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.status.RolloutProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Whether the current generation of a policy is enforced; if not, the cause and the next steps. Uses only the policy and
 * its status.
 *
 * @param why a sentence; empty when the policy is enforced
 * @param next the next steps for the user
 */
record Diagnosis(boolean isEnforced, String why, List<String> next) {

    static Diagnosis of(Policy policy) {
        var status = policy.getStatus();
        var generation = generation(policy);
        if (policy.isMarkedForDeletion()) {
            return notEnforced(
                    "it is being deleted", "wait; if it stays, look at metadata.finalizers and the controller's log");
        }
        if (status == null || (status.conditions().isEmpty() && status.observedGeneration() == 0)) {
            return notEnforced("no controller has looked at it yet", "check that the controller is running");
        }
        if (isStale(status, generation)) {
            return notEnforced(
                    "the controller has not looked at generation %d yet, only at %d"
                            .formatted(generation, status.observedGeneration()),
                    "wait; if it stays so, check that the controller is running");
        }
        var enforced = status.condition(ENFORCED);
        if (enforced.isEmpty()) {
            return notEnforced(
                    "its controller does not report whether it is enforced",
                    "go by the status above: %s".formatted(status.policyStatus().wireName()));
        }
        return enforced.get().isTrue()
                ? new Diagnosis(true, "", List.of())
                : notEnforced(policy, status, enforced.get(), generation);
    }

    static long generation(Policy policy) {
        return Objects.requireNonNullElse(policy.getMetadata().getGeneration(), 0L);
    }

    /** Returns whether the status is about an older generation. Kubewarden's own controller does not report a generation. */
    static boolean isStale(PolicyStatus status, long generation) {
        return status.observedGeneration() != 0 && status.observedGeneration() < generation;
    }

    private static Diagnosis notEnforced(Policy policy, PolicyStatus status, Condition enforced, long generation) {
        var accepted = status.condition(ACCEPTED).filter(condition -> !condition.isTrue());
        var next = new ArrayList<String>();
        next.add(
                accepted.isPresent()
                        ? acceptanceAdvice(accepted.get(), RolloutProgress.of(generation, status.conditions()))
                        : enforcementAdvice(enforced, RolloutProgress.of(generation, status.conditions())));
        if (status.activeGeneration() > 0 && status.activeGeneration() != generation) {
            next.add("generation %d stays in force meanwhile; `kwctl rollback %s` makes it the wanted one again"
                    .formatted(status.activeGeneration(), PolicyName.unambiguous(policy.ref())));
        }
        return new Diagnosis(false, accepted.orElse(enforced).message(), next);
    }

    private static String acceptanceAdvice(Condition accepted, RolloutProgress progress) {
        return switch (accepted.reason()) {
            case "TargetNotFound" ->
                progress.scheduled()
                        .flatMap(Diagnosis::advice)
                        .orElseGet(() -> Advice.on(Reason.POLICY_SERVER_NOT_FOUND));
            case "Conflicted" -> Advice.on(Reason.CONFLICTED);
            case "Invalid" ->
                progress.defect()
                        .flatMap(Diagnosis::advice)
                        .orElse("correct the policy as the message says; the API server refuses it as it is");
            default ->
                progress.initialized()
                        .or(progress::scheduled)
                        .flatMap(Diagnosis::advice)
                        .orElseGet(() -> Advice.on(Reason.WAITING_FOR_POLICY_SERVER));
        };
    }

    private static String enforcementAdvice(Condition enforced, RolloutProgress progress) {
        if (enforced.reason().equals("Overridden")) {
            return "change or delete the policies that override it";
        }
        return progress.ready().values().stream()
                .filter(condition -> !condition.isTrue())
                .min((one, other) -> one.status().compareTo(other.status()))
                .flatMap(Diagnosis::advice)
                .orElse("wait some seconds: the controller asks replicas again and repairs webhooks; if it stays so,"
                        + " look at the controller's log");
    }

    private static Optional<String> advice(Condition condition) {
        return Reason.parse(condition.reason()).map(Advice::on);
    }

    private static Diagnosis notEnforced(String why, String next) {
        return new Diagnosis(false, why, List.of(next));
    }
}
