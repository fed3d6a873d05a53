package io.portcullis.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Target;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests every row of the truth table in docs/design/status.md. The last column contains: state / phase / the three old
 * conditions (A: PolicyActive, C: PolicyServerConfigurationUpToDate, U: PolicyUniquelyReachable) / Accepted / Enforced.
 */
class TruthTableTest {

    private static final Target ROLLING = new Target.Present("default", 2, false);
    private static final Target MISSING = new Target.Missing("default");
    private static final Precedence CONFLICT =
            new Precedence(List.of("older (ClusterAdmissionPolicy)"), new Overriding.None(), Optional.of(List.of()));
    private static final Precedence SAME_CLAIM = new Precedence(
            List.of(), new Overriding.Conflicting(List.of("older (ClusterAdmissionPolicy)")), Optional.of(List.of()));
    private static final Precedence OVERRIDDEN = new Precedence(
            List.of(), new Overriding.Wholly(List.of("always-accept of kubewarden")), Optional.of(List.of()));

    record Row(String situation, FactsBuilder facts, String expected) {

        @Override
        public String toString() {
            return situation;
        }
    }

    private static Row row(String situation, FactsBuilder facts, String expected) {
        return new Row(situation, facts, expected);
    }

    private static FactsBuilder facts() {
        return new FactsBuilder();
    }

    private static FactsBuilder initialized() {
        return facts().initialized(Reason.POLICY_INITIALIZED);
    }

    private static FactsBuilder loaded() {
        return initialized().loadedBy(0, 1);
    }

    private static FactsBuilder steady() {
        return loaded().webhook(2).serving(2, 2L);
    }

    static Stream<Row> table() {
        return Stream.of(
                row(
                        "1 policyServer empty",
                        facts().target(new Target.Unnamed()),
                        "unscheduled/Pending --- False/TargetNotFound False/NotEnforced"),
                row(
                        "2 server missing",
                        facts().target(MISSING),
                        "scheduled/Pending --- False/TargetNotFound False/NotEnforced"),
                row(
                        "2 server deleting",
                        facts().target(new Target.Deleting("default")),
                        "scheduled/Pending --- False/TargetNotFound False/NotEnforced"),
                row(
                        "2 uninstalled",
                        facts().target(new Target.Uninstalled("default")),
                        "scheduled/Pending --- False/TargetNotFound False/NotEnforced"),
                row("3 new, waiting for leader", facts(), "pending/Pending --- Unknown/Pending False/NotEnforced"),
                row(
                        "3 new, leader at work",
                        facts().initialized(Reason.INITIALIZING),
                        "pending/Pending --- Unknown/Pending False/NotEnforced"),
                row(
                        "4 new, replicas loading",
                        initialized().loadedBy(0),
                        "pending/Pending --- True/Accepted False/NotEnforced"),
                row(
                        "5 new, loaded, webhook not yet written",
                        loaded(),
                        "pending/Pending -C- True/Accepted False/NotEnforced"),
                row(
                        "6 new, defect",
                        facts().initialized(Reason.INVALID_SETTINGS),
                        "pending/Failed --- False/Invalid False/NotEnforced"),
                row(
                        "7 new, environment failure",
                        facts().initialized(Reason.PULL_ERROR),
                        "pending/Failed --- Unknown/Pending False/NotEnforced"),
                row(
                        "8 new, one replica cannot load",
                        initialized().loadedBy(0).ready(1, Reason.LOAD_ERROR),
                        "pending/Failed --- True/Accepted False/NotEnforced"),
                row("9 steady state", steady(), "active/Active ACU True/Accepted True/Enforced"),
                row(
                        "10 updated, waiting",
                        facts().webhook(1).serving(2, 1L),
                        "pending/Updating A-- Unknown/Pending False/PartiallyEnforced"),
                row(
                        "10 updated, loading",
                        initialized().loadedBy(1).webhook(1).serving(2, 1L),
                        "pending/Updating A-- True/Accepted False/PartiallyEnforced"),
                row(
                        "11 updated, new generation has a defect",
                        facts().initialized(Reason.INVALID_SETTINGS).webhook(1).serving(2, 1L),
                        "pending/Failed A-- False/Invalid False/PartiallyEnforced"),
                row(
                        "11 updated, registry down",
                        facts().initialized(Reason.PULL_ERROR).webhook(1).serving(2, 1L),
                        "pending/Failed A-- Unknown/Pending False/PartiallyEnforced"),
                row(
                        "12 server rolling",
                        initialized().target(ROLLING).loadedBy(0).webhook(2).serving(1, 2L),
                        "pending/Active A-- True/Accepted False/PartiallyEnforced"),
                row(
                        "12 scaling up, the new replica has not loaded it",
                        initialized()
                                .target(new Target.Present("default", 3, true))
                                .loadedBy(0, 1)
                                .webhook(2)
                                .serving(2, 2L),
                        "pending/Active A-U True/Accepted False/PartiallyEnforced"),
                row(
                        "12 a replica restarts and cannot be probed",
                        restarting(),
                        "pending/Active A-- True/Accepted False/PartiallyEnforced"),
                row(
                        "13 all reloaded, rollout not finished",
                        loaded().target(ROLLING).webhook(2).serving(2, 2L),
                        "pending/Active AC- True/Accepted False/PartiallyEnforced"),
                row(
                        "14 active generation failed on a restarted replica",
                        initialized()
                                .target(ROLLING)
                                .loadedBy(0)
                                .ready(1, Reason.BOOTSTRAP_LOAD_ERROR)
                                .webhook(2)
                                .serving(1, 2L),
                        "pending/Failed A-- True/Accepted False/PartiallyEnforced"),
                row(
                        "15 every replica down",
                        initialized().target(ROLLING).webhook(2),
                        "pending/Pending A-- True/Accepted False/NotEnforced"),
                row(
                        "15 every replica down, one failing",
                        initialized()
                                .target(ROLLING)
                                .ready(0, Reason.LOAD_ERROR)
                                .webhook(2),
                        "pending/Failed A-- True/Accepted False/NotEnforced"),
                row(
                        "15 every replica down during an update",
                        facts().target(ROLLING).webhook(1),
                        "pending/Updating A-- Unknown/Pending False/NotEnforced"),
                row(
                        "16 scaled to zero",
                        facts().target(new Target.Present("default", 0, true)),
                        "pending/Pending --- Unknown/Pending False/NotEnforced"),
                row(
                        "17 identity conflict",
                        facts().precedence(CONFLICT),
                        "pending/Failed --- False/Conflicted False/NotEnforced"),
                row(
                        "17 same precedence claim as an older policy, no webhook",
                        loaded().precedence(SAME_CLAIM),
                        "pending/Failed -C- False/Conflicted False/NotEnforced"),
                row(
                        "17 same precedence claim as an older policy, webhook not yet removed",
                        steady().precedence(SAME_CLAIM),
                        "pending/Failed AC- False/Conflicted False/PartiallyEnforced"),
                row(
                        "18 server accepts all requests",
                        steady().precedence(OVERRIDDEN),
                        "active/Active ACU True/Accepted False/Overridden"),
                row(
                        "19 server missing, webhook exists",
                        loaded().target(MISSING).webhook(2).serving(1, 2L),
                        "scheduled/Pending A-- False/TargetNotFound False/PartiallyEnforced"),
                row(
                        "19 field cleared, webhook exists, no replica ready",
                        loaded().target(new Target.Unnamed()).webhook(2),
                        "unscheduled/Pending A-- False/TargetNotFound False/NotEnforced"));
    }

    /** Returns the rows about evidence, which decides on Enforced. */
    static Stream<Row> evidence() {
        return Stream.of(
                row("evidence of 30 s is fresh", probedAgo(30, 2L), "active/Active ACU True/Accepted True/Enforced"),
                row(
                        "evidence of 31 s is stale",
                        probedAgo(31, 2L),
                        "active/Active ACU True/Accepted False/PartiallyEnforced"),
                row(
                        "one replica serves another generation",
                        probes(answered(1, 2L), answered(1, 1L)),
                        "active/Active ACU True/Accepted False/PartiallyEnforced"),
                row(
                        "one replica cannot be probed",
                        probes(answered(1, 2L), new Probe.Failed("connection refused")),
                        "active/Active ACU True/Accepted False/PartiallyEnforced"),
                row(
                        "no replica can be probed",
                        probes(new Probe.Failed("certificate expired"), new Probe.Failed("certificate expired")),
                        "active/Active ACU True/Accepted False/NotEnforced"),
                row(
                        "no replica probed yet",
                        probes(new Probe.NotProbed(), new Probe.NotProbed()),
                        "active/Active ACU True/Accepted False/PartiallyEnforced"),
                row(
                        "no replica serves it",
                        probes(answered(1, 1L)),
                        "active/Active ACU True/Accepted False/NotEnforced"),
                row(
                        "a replica that serves both generations counts",
                        probes(answered(1, 1L, 2L)),
                        "active/Active ACU True/Accepted True/Enforced"),
                row(
                        "webhook changed by hand",
                        with(new Fidelity.Drifted("rules")),
                        "active/Active ACU True/Accepted False/PartiallyEnforced"),
                row(
                        "webhook points to another target",
                        with(new Fidelity.Misrouted("caBundle")),
                        "active/Active ACU True/Accepted False/NotEnforced"),
                row(
                        "overridden in part",
                        steady().precedence(new Precedence(
                                List.of(), new Overriding.Partly(List.of("a")), Optional.empty())),
                        "active/Active ACU True/Accepted False/PartiallyEnforced"),
                row(
                        "overridden and therefore without webhook",
                        loaded().precedence(OVERRIDDEN),
                        "pending/Pending -C- True/Accepted False/Overridden"),
                row(
                        "overridden, and not ready yet",
                        facts().precedence(OVERRIDDEN),
                        "pending/Pending --- Unknown/Pending False/NotEnforced"),
                row("webhook refused", refused(0), "pending/Failed -C- False/Invalid False/NotEnforced"),
                row(
                        "repair of the webhook refused",
                        refused(2),
                        "pending/Failed AC- False/Invalid False/PartiallyEnforced"));
    }

    private static FactsBuilder restarting() {
        var facts = initialized()
                .target(ROLLING)
                .loadedBy(0)
                .ready(1, Reason.REPLICA_STARTING)
                .webhook(2);
        facts.endpoints = List.of(
                new Endpoint("replica-0", answered(1, 2L)), new Endpoint("replica-1", new Probe.Failed("refused")));
        return facts;
    }

    private static FactsBuilder probedAgo(int secondsAgo, Long generation) {
        return probes(answered(secondsAgo, generation));
    }

    private static Probe answered(int secondsAgo, Long... generations) {
        return new Probe.Answered(Set.of(generations), Duration.ofSeconds(secondsAgo));
    }

    private static FactsBuilder probes(Probe... probes) {
        var facts = steady();
        facts.endpoints =
                Stream.of(probes).map(probe -> new Endpoint("replica", probe)).toList();
        return facts;
    }

    private static FactsBuilder with(Fidelity fidelity) {
        var facts = steady();
        facts.fidelity = fidelity;
        return facts;
    }

    private static FactsBuilder refused(long webhook) {
        var facts = steady().webhook(webhook);
        facts.refusal = Optional.of("matchConditions[0].expression: undeclared reference");
        return facts;
    }

    @ParameterizedTest
    @MethodSource({"table", "evidence"})
    void derivesTheStatusOfEachRow(Row row) {
        assertThat(render(StatusDerivation.derive(row.facts().build()))).isEqualTo(row.expected());
    }

    static String render(PolicyStatus status) {
        return "%s/%s %s%s%s %s %s"
                .formatted(
                        status.policyStatus().wireName(),
                        status.phase().wireName(),
                        letter(status, ConditionType.POLICY_ACTIVE, "A"),
                        letter(status, ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE, "C"),
                        letter(status, ConditionType.POLICY_UNIQUELY_REACHABLE, "U"),
                        statusAndReason(status, ConditionType.ACCEPTED),
                        statusAndReason(status, ConditionType.ENFORCED));
    }

    private static String letter(PolicyStatus status, ConditionType type, String letter) {
        return status.condition(type).filter(Condition::isTrue).isPresent() ? letter : "-";
    }

    private static String statusAndReason(PolicyStatus status, ConditionType type) {
        var condition = status.condition(type).orElseThrow();
        return condition.status().wireName() + "/" + condition.reason();
    }
}
