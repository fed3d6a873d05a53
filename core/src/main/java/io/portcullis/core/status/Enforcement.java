package io.portcullis.core.status;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Derives the condition Enforced: proof that the latest generation evaluates the requests. The first matching row applies.
 *
 * <pre>
 * active, or ready but without webhook because of precedence,
 *   and other policies decide on all of its requests                  False  Overridden
 * active, webhook as rendered, fresh evidence from every replica      True   Enforced
 * the webhook points at a replica that is not known to fail           False  PartiallyEnforced
 * otherwise                                                           False  NotEnforced
 * </pre>
 */
final class Enforcement {

    /** Maximum age of evidence. Older evidence proves nothing. */
    static final Duration MAX_AGE = Duration.ofSeconds(30);

    private final Situation situation;
    private final Facts facts;
    private final String kind;

    private Enforcement(Situation situation) {
        this.situation = situation;
        this.facts = situation.facts();
        this.kind = facts.subject().kind();
    }

    static Condition of(Situation situation) {
        return new Enforcement(situation).decide();
    }

    private Condition decide() {
        return switch (facts.registration()) {
            case Registration.Absent _ -> decideWithoutWebhook();
            case Registration.Registered webhook -> decide(webhook);
        };
    }

    /** Decides for a policy without webhook. An overridden policy stays ready and has no webhook. */
    private Condition decideWithoutWebhook() {
        return situation.isReadyForWebhook()
                        && facts.precedence().overriding() instanceof Facts.Overriding.Wholly wholly
                ? enforced(false, "Overridden", kind + " is overridden by " + Names.list(wholly.by()))
                : enforced(false, "NotEnforced", kind + " is not enforced: no webhook is registered");
    }

    private Condition decide(Registration.Registered webhook) {
        if (situation.isActive() && facts.precedence().overriding() instanceof Facts.Overriding.Wholly wholly) {
            return enforced(false, "Overridden", kind + " is overridden by " + Names.list(wholly.by()));
        }
        var gaps = gaps(webhook);
        if (situation.isActive() && gaps.isEmpty()) {
            var monitor = webhook.mode() == PolicyMode.MONITOR ? " (mode: monitor)" : "";
            return enforced(true, "Enforced", kind + " has been successfully enforced" + monitor);
        }
        if (facts.endpoints().isEmpty()) {
            return enforced(
                    false,
                    "NotEnforced",
                    kind + " is not enforced: no replica of PolicyServer " + webhook.policyServer()
                            + " is ready, failurePolicy decides");
        }
        return situation.reachesServingReplica()
                ? enforced(
                        false,
                        "PartiallyEnforced",
                        kind + " has encountered some issues and has been partially applied: " + explain(gaps))
                : enforced(false, "NotEnforced", kind + " is not enforced: " + explain(gaps));
    }

    /** Describes why Enforced is not true, one text per problem. */
    private List<String> gaps(Registration.Registered webhook) {
        var gaps = new ArrayList<String>();
        if (situation.active() != situation.generation()) {
            gaps.add("generation " + situation.active()
                    + (situation.reachesServingReplica() ? " is enforced" : " is in the webhook")
                    + " instead of " + situation.generation());
        }
        switch (webhook.fidelity()) {
            case Fidelity.Exact _ -> {}
            case Fidelity.Drifted drifted -> gaps.add("webhook was changed: " + drifted.what());
            case Fidelity.Misrouted astray -> gaps.add("webhook points to another target: " + astray.what());
        }
        rollout().ifPresent(gaps::add);
        for (Endpoint endpoint : facts.endpoints()) {
            gap(endpoint).ifPresent(gap -> gaps.add(endpoint.name() + " " + gap));
        }
        if (facts.endpoints().isEmpty()) {
            gaps.add("no replica is ready");
        }
        switch (facts.precedence().overriding()) {
            case Facts.Overriding.None _ -> {}
            case Facts.Overriding.Partly partly -> gaps.add("overridden in part by " + Names.list(partly.by()));
            case Facts.Overriding.Wholly wholly -> gaps.add("overridden by " + Names.list(wholly.by()));
            case Facts.Overriding.Conflicting conflict -> gaps.add("in conflict with " + Names.list(conflict.by()));
        }
        return gaps;
    }

    /** Describes which replicas of the server are missing while the latest generation is in the webhook. */
    private Optional<String> rollout() {
        if (situation.isActive()
                || situation.active() != situation.generation()
                || !(facts.target() instanceof Facts.Target.Present server)) {
            return Optional.empty();
        }
        var ready = facts.endpoints().size();
        if (ready < server.replicas()) {
            return Optional.of("%d of %d replicas of PolicyServer %s are ready"
                    .formatted(ready, server.replicas(), server.name()));
        }
        if (situation.loaded() < server.replicas()) {
            return Optional.of("%d of %d replicas of PolicyServer %s have loaded it"
                    .formatted(situation.loaded(), server.replicas(), server.name()));
        }
        return server.settled()
                ? Optional.empty()
                : Optional.of("the rollout of PolicyServer " + server.name() + " has not finished");
    }

    private Optional<String> gap(Endpoint endpoint) {
        return switch (endpoint.probe()) {
            case Probe.NotProbed _ -> Optional.of("has not been probed yet");
            case Probe.Failed failed -> Optional.of("cannot be probed: " + failed.cause());
            case Probe.Answered answer -> {
                if (!answer.generations().contains(situation.generation())) {
                    yield Optional.of("serves generations " + new TreeSet<>(answer.generations()));
                }
                yield isFresh(answer)
                        ? Optional.empty()
                        : Optional.of("was last seen serving it " + answer.age().toSeconds() + " s ago");
            }
        };
    }

    private static boolean isFresh(Probe.Answered answer) {
        return answer.age().compareTo(MAX_AGE) <= 0;
    }

    private String explain(List<String> gaps) {
        return gaps.isEmpty() ? "see the other conditions" : Names.list(gaps);
    }

    private Condition enforced(boolean holds, String reason, String message) {
        var notice = facts.precedence().notice().map(text -> "; " + text).orElse("");
        return Condition.ofPolicy(
                ConditionType.ENFORCED, ConditionStatus.of(holds), reason, message + notice, situation.generation());
    }
}
