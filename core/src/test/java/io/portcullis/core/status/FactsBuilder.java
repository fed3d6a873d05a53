package io.portcullis.core.status;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionStatus;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Registration;
import io.portcullis.core.status.Facts.Subject;
import io.portcullis.core.status.Facts.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Builds facts for tests. The initial state is a new policy of generation 2 on a server with two ready replicas. */
final class FactsBuilder {

    long generation = 2;
    Target target = new Target.Present("default", 2, true);
    final List<Condition> reports = new ArrayList<>();
    long webhook;
    Fidelity fidelity = new Fidelity.Exact();
    Optional<String> refusal = Optional.empty();
    PolicyMode mode = PolicyMode.PROTECT;
    List<Endpoint> endpoints = List.of();
    Precedence precedence = Precedence.UNDISPUTED;
    List<AncestorStatus> foreign = List.of();

    FactsBuilder target(Target target) {
        this.target = target;
        return this;
    }

    FactsBuilder scheduled() {
        reports.add(Condition.ofGeneration(
                ConditionType.SCHEDULED,
                generation,
                ConditionStatus.TRUE,
                Reason.POLICY_SCHEDULED,
                Messages.POLICY_SCHEDULED));
        return this;
    }

    FactsBuilder initialized(Reason reason) {
        scheduled();
        reports.add(Condition.ofGeneration(
                ConditionType.INITIALIZED, generation, reason.status(), reason, "text of " + reason.wireName()));
        return this;
    }

    FactsBuilder ready(int replica, Reason reason) {
        reports.add(Condition.ofReplica(generation, replica, reason.status(), reason, "text of " + reason.wireName()));
        return this;
    }

    FactsBuilder loadedBy(int... replicas) {
        for (int replica : replicas) {
            ready(replica, Reason.POLICY_READY);
        }
        return this;
    }

    FactsBuilder webhook(long webhook) {
        this.webhook = webhook;
        return this;
    }

    /** Adds ready replicas behind the webhook. Each reported these generations one second ago. */
    FactsBuilder serving(int replicas, Long... generations) {
        var list = new ArrayList<Endpoint>();
        for (int i = 0; i < replicas; i++) {
            list.add(new Endpoint("replica-" + i, new Probe.Answered(Set.of(generations), Duration.ofSeconds(1))));
        }
        endpoints = list;
        return this;
    }

    FactsBuilder precedence(Precedence precedence) {
        this.precedence = precedence;
        return this;
    }

    Facts build() {
        var wanted = RolloutProgress.of(generation, reports);
        Registration registration = webhook == 0
                ? new Registration.Absent(refusal)
                : new Registration.Registered(
                        webhook == generation ? wanted : served(), "default", mode, fidelity, refusal);
        return new Facts(
                new Subject("ClusterAdmissionPolicy", generation, foreign),
                target,
                wanted,
                registration,
                endpoints,
                precedence,
                List.of());
    }

    private RolloutProgress served() {
        return RolloutProgress.of(
                webhook,
                List.of(
                        Condition.ofGeneration(
                                ConditionType.SCHEDULED,
                                webhook,
                                ConditionStatus.TRUE,
                                Reason.POLICY_SCHEDULED,
                                Messages.POLICY_SCHEDULED),
                        Condition.ofGeneration(
                                ConditionType.INITIALIZED,
                                webhook,
                                ConditionStatus.TRUE,
                                Reason.POLICY_INITIALIZED,
                                Messages.POLICY_INITIALIZED),
                        Condition.ofReplica(
                                webhook, 0, ConditionStatus.TRUE, Reason.POLICY_READY, Messages.POLICY_READY)));
    }
}
