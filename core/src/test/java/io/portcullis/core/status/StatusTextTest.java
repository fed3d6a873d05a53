package io.portcullis.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Target;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the messages of conditions and the entry under {@code status.ancestors}. */
class StatusTextTest {

    record Text(ConditionType type, FactsBuilder facts, String message) {

        @Override
        public String toString() {
            return message;
        }
    }

    private static FactsBuilder steady() {
        return new FactsBuilder()
                .initialized(Reason.POLICY_INITIALIZED)
                .loadedBy(0, 1)
                .webhook(2)
                .serving(2, 2L);
    }

    private static FactsBuilder monitor() {
        var facts = steady();
        facts.mode = PolicyMode.MONITOR;
        return facts;
    }

    private static FactsBuilder oneProbeFails() {
        var facts = steady();
        facts.endpoints =
                List.of(facts.endpoints.getFirst(), new Endpoint("replica-1", new Probe.Failed("connection refused")));
        return facts;
    }

    private static FactsBuilder with(List<String> conflicts, Overriding overriding, List<String> affectedBy) {
        return steady().precedence(new Precedence(conflicts, overriding, Optional.of(affectedBy)));
    }

    static Stream<Text> texts() {
        var none = new Overriding.None();
        return Stream.of(
                new Text(ConditionType.ACCEPTED, steady(), "ClusterAdmissionPolicy has been accepted"),
                new Text(
                        ConditionType.ACCEPTED,
                        with(List.of("b (AdmissionPolicy)", "a (AdmissionPolicy)"), none, List.of()),
                        "ClusterAdmissionPolicy is conflicted by [a (AdmissionPolicy), b (AdmissionPolicy)]"),
                new Text(
                        ConditionType.ACCEPTED,
                        with(List.of(), new Overriding.Conflicting(List.of("a (ClusterAdmissionPolicy)")), List.of()),
                        "ClusterAdmissionPolicy is conflicted by [a (ClusterAdmissionPolicy)]:"
                                + " same policy-key, merge-strategy and scope"),
                new Text(
                        ConditionType.ENFORCED,
                        with(List.of(), new Overriding.Conflicting(List.of("a (ClusterAdmissionPolicy)")), List.of()),
                        "ClusterAdmissionPolicy has encountered some issues and has been partially applied:"
                                + " [in conflict with [a (ClusterAdmissionPolicy)]]"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder()
                                .initialized(Reason.INVALID_SETTINGS)
                                .webhook(1)
                                .serving(2, 1L),
                        "ClusterAdmissionPolicy is invalid: text of InvalidSettings; generation 1 remains enforced"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder()
                                .initialized(Reason.INVALID_SETTINGS)
                                .webhook(1)
                                .serving(0),
                        "ClusterAdmissionPolicy is invalid: text of InvalidSettings"),
                new Text(
                        ConditionType.ENFORCED,
                        new FactsBuilder()
                                .initialized(Reason.INVALID_SETTINGS)
                                .webhook(1)
                                .serving(1, 3L),
                        "ClusterAdmissionPolicy is not enforced: [generation 1 is in the webhook instead of 2, replica-0 serves generations [3]]"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().target(new Target.Missing("tenant-a")),
                        "ClusterAdmissionPolicy target tenant-a was not found"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().target(new Target.Uninstalled("tenant-a")),
                        "ClusterAdmissionPolicy has no PolicyServer: Portcullis was uninstalled"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().initialized(Reason.PULL_ERROR),
                        "ClusterAdmissionPolicy is waiting: PullError: text of PullError"),
                new Text(ConditionType.ENFORCED, steady(), "ClusterAdmissionPolicy has been successfully enforced"),
                new Text(
                        ConditionType.ENFORCED,
                        monitor(),
                        "ClusterAdmissionPolicy has been successfully enforced (mode: monitor)"),
                new Text(
                        ConditionType.ENFORCED,
                        oneProbeFails(),
                        "ClusterAdmissionPolicy has encountered some issues and has been partially applied: [replica-1 cannot be probed: connection refused]"),
                new Text(
                        ConditionType.ENFORCED,
                        new FactsBuilder().webhook(1).serving(1, 1L),
                        "ClusterAdmissionPolicy has encountered some issues and has been partially applied: [generation 1 is enforced instead of 2, replica-0 serves generations [1]]"),
                new Text(
                        ConditionType.ENFORCED,
                        new FactsBuilder()
                                .target(new Target.Present("default", 2, false))
                                .initialized(Reason.POLICY_INITIALIZED)
                                .loadedBy(0)
                                .webhook(2)
                                .serving(1, 2L),
                        "ClusterAdmissionPolicy has encountered some issues and has been partially applied: [1 of 2 replicas of PolicyServer default are ready]"),
                new Text(
                        ConditionType.ENFORCED,
                        new FactsBuilder()
                                .initialized(Reason.POLICY_INITIALIZED)
                                .loadedBy(0)
                                .webhook(2)
                                .serving(2, 2L),
                        "ClusterAdmissionPolicy has encountered some issues and has been partially applied: [1 of 2 replicas of PolicyServer default have loaded it]"),
                new Text(
                        ConditionType.ENFORCED,
                        steady().target(new Target.Present("default", 2, false)),
                        "ClusterAdmissionPolicy has encountered some issues and has been partially applied: [the rollout of PolicyServer default has not finished]"),
                new Text(
                        ConditionType.ENFORCED,
                        steady().serving(0),
                        "ClusterAdmissionPolicy is not enforced: no replica of PolicyServer default is ready, failurePolicy decides"),
                new Text(
                        ConditionType.ENFORCED,
                        with(List.of(), new Overriding.Wholly(List.of("x")), List.of()),
                        "ClusterAdmissionPolicy is overridden by [x]"),
                new Text(
                        ConditionType.POLICY_AFFECTED,
                        with(List.of(), none, List.of("ns/b (AdmissionPolicy)", "a (ClusterAdmissionPolicy)")),
                        "ClusterAdmissionPolicy is affected by [a (ClusterAdmissionPolicy), ns/b (AdmissionPolicy)]"),
                new Text(ConditionType.POLICY_AFFECTED, steady(), "ClusterAdmissionPolicy is not affected"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void derivesTheMessage(Text text) {
        var status = StatusDerivation.derive(text.facts().build());

        assertThat(status.condition(text.type()).orElseThrow().message()).isEqualTo(text.message());
    }

    @Test
    void cutsLongListsOfNames() {
        var others =
                IntStream.range(0, 40).mapToObj(i -> "policy-%02d".formatted(i)).toList();

        assertThat(StatusDerivation.derive(
                                with(List.of(), new Overriding.None(), others).build())
                        .condition(ConditionType.POLICY_AFFECTED)
                        .map(Condition::message))
                .hasValueSatisfying(message -> assertThat(message)
                        .contains("policy-00", "policy-15] and 24 more")
                        .doesNotContain("policy-16"));
    }

    @Test
    void addsOneAncestorAndKeepsForeignOnes() {
        var facts = steady();
        facts.foreign =
                List.of(new AncestorStatus(AncestorStatus.Ref.policyServer("x"), "example.com/other", List.of()));

        var status = TransitionTimes.stamp(
                StatusDerivation.derive(facts.build()), null, Instant.parse("2026-01-01T00:00:00Z"));

        assertThat(status.ancestors()).hasSize(2).contains(facts.foreign.getFirst());
        var added = status.ancestors().getLast();
        assertThat(added.ancestorRef()).isEqualTo(AncestorStatus.Ref.policyServer("default"));
        assertThat(added.conditions())
                .extracting(condition -> condition.getType() + "=" + condition.getStatus() + "@"
                        + condition.getObservedGeneration() + " " + condition.getLastTransitionTime())
                .containsExactly(
                        "Accepted=True@2 2026-01-01T00:00:00Z",
                        "Enforced=True@2 2026-01-01T00:00:00Z",
                        "PolicyAffected=False@2 2026-01-01T00:00:00Z");
    }

    @Test
    void namesAMissingServerAmongTheAncestors() {
        var status = StatusDerivation.derive(
                new FactsBuilder().target(new Target.Missing("tenant-a")).build());

        assertThat(ancestorNames(status)).containsExactly("tenant-a");
        assertThat(ancestorNames(StatusDerivation.derive(
                        new FactsBuilder().target(new Target.Unnamed()).build())))
                .isEmpty();
    }

    private static List<String> ancestorNames(PolicyStatus status) {
        return status.ancestors().stream()
                .map(ancestor -> ancestor.ancestorRef().name())
                .toList();
    }
}
