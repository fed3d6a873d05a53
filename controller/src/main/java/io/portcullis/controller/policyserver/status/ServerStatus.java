package io.portcullis.controller.policyserver.status;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.controller.policyserver.rollout.Rollout;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.workload.SourceAuthorities;
import io.portcullis.controller.policyserver.workload.SourceAuthorities.Problem;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Derives the status of a PolicyServer from the outcomes of a reconcile pass and the StatefulSet. The policy summary in
 * that status has its own slot and its own writer.
 */
public final class ServerStatus {

    static final String SUCCEEDED = "ReconciliationSucceeded";
    static final String FAILED = "ReconciliationFailed";
    static final String AVAILABLE = "Available";
    static final String PROGRESSING = "Progressing";
    static final String POLICIES_NOT_ENFORCED = "PoliciesNotEnforced";
    static final String AUTHORITIES_RESOLVED = "SourceAuthoritiesResolved";
    public static final String TRUE = "True";
    static final String FALSE = "False";
    private static final String UNINSTALLED = "Uninstalled";

    /** Messages may contain API server errors; the schema allows 32768 characters. */
    private static final int MAX_MESSAGE_LENGTH = 1024;

    private ServerStatus() {}

    /**
     * The observed state.
     *
     * @param outcomes of the steps, in order
     * @param leader the pod that holds the server's lease
     * @param migration what the replacement of a Deployment waits for, if there is one
     * @param policies the number of policies that name the server
     * @param tenancy which policies violate the server's tenancy rules, if it has such rules
     * @param authorities the certificates of {@code spec.sourceAuthoritiesFrom}, if the spec has references
     */
    public record Seen(
            List<Outcome> outcomes,
            Optional<StatefulSet> statefulSet,
            Optional<String> leader,
            Optional<String> migration,
            int policies,
            Optional<TenancyReport> tenancy,
            Optional<SourceAuthorities> authorities) {}

    /**
     * The outcome of one step.
     *
     * @param problem why the step failed; empty on success
     * @param waiting what the server waits for afterwards
     */
    public record Outcome(ServerStep step, String problem, Optional<String> waiting) {

        public Outcome(ServerStep step, String problem) {
            this(step, problem, Optional.empty());
        }

        public boolean hasFailed() {
            return !problem.isEmpty();
        }
    }

    public static PolicyServerStatus of(PolicyServer server, Seen seen, Instant now) {
        var names = new ServerNames(server.getMetadata().getName());
        var rollout = Rollout.of(seen.statefulSet());
        var conditions = new ArrayList<Condition>();
        for (Outcome outcome : seen.outcomes()) {
            conditions.add(condition(
                    outcome.step().condition(),
                    outcome.hasFailed() ? FALSE : TRUE,
                    outcome.hasFailed() ? FAILED : SUCCEEDED,
                    outcome.problem()));
        }
        conditions.add(available(seen, rollout));
        conditions.add(progressing(seen, rollout));
        seen.tenancy()
                .ifPresent(report -> conditions.add(condition(
                        TenancyReport.CONDITION,
                        report.isRespected() ? TRUE : FALSE,
                        report.isRespected() ? TenancyReport.RESPECTED : TenancyReport.VIOLATED,
                        report.message())));
        seen.authorities().ifPresent(authorities -> conditions.add(resolved(authorities)));
        return finish(server, names, conditions, rollout, seen, now);
    }

    /** Reports the first reason, and all problems. */
    private static Condition resolved(SourceAuthorities authorities) {
        var problems = authorities.problems();
        return problems.isEmpty()
                ? condition(AUTHORITIES_RESOLVED, TRUE, "CertificatesResolved", "")
                : condition(
                        AUTHORITIES_RESOLVED,
                        FALSE,
                        problems.getFirst().cause().reason(),
                        problems.stream().map(Problem::toString).collect(Collectors.joining("; ")));
    }

    private static Condition available(Seen seen, Rollout rollout) {
        if (rollout.isScaledToZero() && seen.policies() > 0) {
            return condition(
                    AVAILABLE,
                    FALSE,
                    POLICIES_NOT_ENFORCED,
                    "spec.replicas is 0: %d policies are not enforced".formatted(seen.policies()));
        }
        return condition(AVAILABLE, rollout.ready() > 0 ? TRUE : FALSE, rollout.availability(), rollout.text());
    }

    private static Condition progressing(Seen seen, Rollout rollout) {
        if (seen.migration().isPresent()) {
            return condition(
                    PROGRESSING, TRUE, "ReplacingDeployment", seen.migration().get());
        }
        var waiting = seen.outcomes().stream()
                .flatMap(outcome -> outcome.waiting().stream())
                .findFirst();
        if (waiting.isPresent()) {
            return condition(PROGRESSING, TRUE, "ReplacingReplica", "waiting for " + waiting.get());
        }
        return condition(
                PROGRESSING,
                rollout.isRunning() ? TRUE : FALSE,
                rollout.isRunning() ? "RolloutInProgress" : "RolloutComplete",
                rollout.text());
    }

    /** The status of a server that is being deleted: the cleanup condition, and the previous conditions. */
    public static PolicyServerStatus deleting(
            PolicyServer server, Seen seen, boolean isCleanedUp, String message, Instant now) {
        var names = new ServerNames(server.getMetadata().getName());
        var conditions = new ArrayList<Condition>();
        previous(server).stream()
                .filter(condition -> !condition.getType().equals(PolicyServerNames.WEBHOOKS_CLEANED_UP))
                .forEach(conditions::add);
        conditions.add(condition(
                PolicyServerNames.WEBHOOKS_CLEANED_UP,
                isCleanedUp ? TRUE : FALSE,
                isCleanedUp ? SUCCEEDED : "WaitingForWebhooks",
                message));
        return finish(server, names, conditions, Rollout.of(seen.statefulSet()), seen, now);
    }

    /** The status after uninstalling: earlier reports about replicas and steps no longer apply. */
    public static PolicyServerStatus uninstalled(PolicyServer server, Instant now) {
        var text = "Portcullis was uninstalled; its replicas were removed";
        var nothing = new Seen(
                List.of(), Optional.empty(), Optional.empty(), Optional.empty(), 0, Optional.empty(), Optional.empty());
        return finish(
                server,
                new ServerNames(server.getMetadata().getName()),
                List.of(
                        condition(AVAILABLE, FALSE, UNINSTALLED, text),
                        condition(PROGRESSING, FALSE, UNINSTALLED, text)),
                Rollout.of(Optional.empty()),
                nothing,
                now);
    }

    private static PolicyServerStatus finish(
            PolicyServer server,
            ServerNames names,
            List<Condition> conditions,
            Rollout rollout,
            Seen seen,
            Instant now) {
        return new PolicyServerStatus(
                stamp(conditions, previous(server), generation(server), now),
                generation(server),
                rollout.existing(),
                rollout.ready(),
                rollout.updated(),
                names.selectorText(),
                seen.leader().orElse(null),
                null);
    }

    /** Sets the transition times; a condition with an unchanged status keeps its time. */
    private static List<Condition> stamp(
            List<Condition> conditions, List<Condition> previous, long generation, Instant now) {
        Map<String, Condition> before =
                previous.stream().collect(Collectors.toMap(Condition::getType, condition -> condition, (a, _) -> a));
        return conditions.stream()
                .map(condition -> {
                    var old = before.get(condition.getType());
                    var time = old != null && condition.getStatus().equals(old.getStatus())
                            ? old.getLastTransitionTime()
                            : now.truncatedTo(ChronoUnit.SECONDS).toString();
                    return new ConditionBuilder(condition)
                            .withObservedGeneration(generation)
                            .withLastTransitionTime(time)
                            .build();
                })
                .toList();
    }

    public static List<Condition> previous(PolicyServer server) {
        var status = server.getStatus();
        return status == null ? List.of() : status.withoutPolicies().conditions();
    }

    public static Optional<Condition> find(List<Condition> conditions, String type) {
        return conditions.stream()
                .filter(condition -> condition.getType().equals(type))
                .findFirst();
    }

    private static long generation(PolicyServer server) {
        var generation = server.getMetadata().getGeneration();
        return generation == null ? 0 : generation;
    }

    private static Condition condition(String type, String status, String reason, String message) {
        return new ConditionBuilder()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage(message.substring(0, Math.min(message.length(), MAX_MESSAGE_LENGTH)))
                .build();
    }
}
