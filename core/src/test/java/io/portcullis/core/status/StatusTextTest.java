package io.portcullis.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Messages;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Subject;
import io.portcullis.core.status.Facts.Target;
import io.portcullis.testkit.sample.Samples;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
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

    private static FactsBuilder at(Target target) {
        return steady().target(target);
    }

    private static FactsBuilder probed(Probe probe) {
        var facts = steady();
        facts.endpoints = List.of(new Endpoint("replica-0", probe));
        facts.target = new Target.Present("default", 1, true);
        return facts;
    }

    private static FactsBuilder with(Fidelity fidelity) {
        var facts = steady();
        facts.fidelity = fidelity;
        return facts;
    }

    private static FactsBuilder refused(long webhook) {
        var facts = steady().webhook(webhook);
        facts.refusal = Optional.of("undeclared reference");
        return facts;
    }

    private static FactsBuilder noticed() {
        return steady().precedence(new Precedence(
                List.of(), new Overriding.None(), Optional.empty(), Optional.of("too many namespaces")));
    }

    /** Returns the rows about the conditions of the state diagram. */
    static Stream<Text> diagram() {
        var active = ConditionType.POLICY_ACTIVE;
        var upToDate = ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE;
        var unique = ConditionType.POLICY_UNIQUELY_REACHABLE;
        return Stream.of(
                new Text(active, steady(), "webhook points at generation 2"),
                new Text(active, new FactsBuilder(), "no webhook is registered"),
                new Text(upToDate, steady(), "generation 2 loaded by 2/2 replicas"),
                new Text(upToDate, at(new Target.Unnamed()), "The policy names no PolicyServer."),
                new Text(upToDate, at(new Target.Missing("a")), "PolicyServer a does not exist."),
                new Text(upToDate, at(new Target.Deleting("a")), "PolicyServer a is being deleted."),
                new Text(
                        upToDate,
                        at(new Target.Uninstalled("a")),
                        "Portcullis was uninstalled; nothing enforces the policy."),
                new Text(upToDate, at(new Target.Present("a", 0, true)), "PolicyServer a has no replicas."),
                new Text(upToDate, new FactsBuilder().initialized(Reason.PULL_ERROR), "text of PullError"),
                new Text(upToDate, steady().ready(1, Reason.LOAD_ERROR), "text of LoadError"),
                new Text(upToDate, new FactsBuilder(), "generation 2 is not initialized"),
                new Text(upToDate, at(new Target.Present("a", 3, true)), "generation 2 loaded by 2/3 replicas"),
                new Text(unique, steady(), "only generation 2 can be reached"),
                new Text(unique, steady().webhook(0), "no webhook is registered"),
                new Text(unique, at(new Target.Missing("a")), "PolicyServer a does not exist."),
                new Text(unique, steady().webhook(1), "webhook points at generation 1, the latest is 2"),
                new Text(
                        unique,
                        at(new Target.Present("a", 2, false)),
                        "not all replicas run the latest rollout and are ready"),
                new Text(unique, refused(2), "see condition Accepted"));
    }

    /** Returns the rows about why a policy is not accepted or not enforced. */
    static Stream<Text> causes() {
        var partly = "ClusterAdmissionPolicy has encountered some issues and has been partially applied: ";
        return Stream.of(
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().target(new Target.Unnamed()),
                        "ClusterAdmissionPolicy names no PolicyServer"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().target(new Target.Deleting("a")),
                        "ClusterAdmissionPolicy target a is being deleted"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().target(new Target.Present("a", 0, true)),
                        "ClusterAdmissionPolicy is waiting: PolicyServer a has no replicas"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder(),
                        "ClusterAdmissionPolicy is waiting: generation 2 is not initialized"),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().scheduled(),
                        "ClusterAdmissionPolicy is waiting: " + Messages.POLICY_SCHEDULED),
                new Text(
                        ConditionType.ACCEPTED,
                        new FactsBuilder().initialized(Reason.INITIALIZING),
                        "ClusterAdmissionPolicy is waiting: text of Initializing"),
                new Text(ConditionType.ACCEPTED, refused(0), "ClusterAdmissionPolicy is invalid: undeclared reference"),
                new Text(
                        ConditionType.ENFORCED,
                        steady().webhook(0),
                        "ClusterAdmissionPolicy is not enforced: no webhook is registered"),
                new Text(
                        ConditionType.ENFORCED,
                        with(List.of(), new Overriding.Wholly(List.of("x")), List.of())
                                .webhook(0),
                        "ClusterAdmissionPolicy is overridden by [x]"),
                new Text(ConditionType.ENFORCED, refused(2), partly + "see the other conditions"),
                new Text(
                        ConditionType.ENFORCED,
                        probed(new Probe.NotProbed()),
                        partly + "[replica-0 has not been probed yet]"),
                new Text(
                        ConditionType.ENFORCED,
                        probed(new Probe.Answered(Set.of(2L), Duration.ofSeconds(31))),
                        partly + "[replica-0 was last seen serving it 31 s ago]"),
                new Text(
                        ConditionType.ENFORCED,
                        with(new Fidelity.Drifted("rules")),
                        partly + "[webhook was changed: rules]"),
                new Text(
                        ConditionType.ENFORCED,
                        with(new Fidelity.Misrouted("caBundle")),
                        "ClusterAdmissionPolicy is not enforced: [webhook points to another target: caBundle]"),
                new Text(
                        ConditionType.ENFORCED,
                        with(List.of(), new Overriding.Partly(List.of("x")), List.of()),
                        partly + "[overridden in part by [x]]"),
                new Text(
                        ConditionType.ENFORCED,
                        noticed(),
                        "ClusterAdmissionPolicy has been successfully enforced; too many namespaces"));
    }

    @ParameterizedTest
    @MethodSource({"texts", "diagram", "causes"})
    void derivesTheMessage(Text text) {
        var status = StatusDerivation.derive(text.facts().build());

        assertThat(status.condition(text.type()).orElseThrow().message()).isEqualTo(text.message());
    }

    /** Users need no access to revisions, because the policy lists the conditions of both generations. */
    @Test
    void listsTheConditionsOfTheServedAndOfTheLatestGeneration() {
        var facts = steady().loadedBy(2).webhook(1);
        var latest = List.of("Scheduled@2=True", "Initialized@2=True", "Ready@2/0=True", "Ready@2/1=True");
        var served = List.of("Scheduled@1=True", "Initialized@1=True", "Ready@1/0=True");

        assertThat(reported(facts)).containsExactlyElementsOf(concat(served, latest));
        assertThat(reported(facts.webhook(2)))
                .as("replica 2 is beyond the desired number")
                .isEqualTo(latest);
        assertThat(reported(facts.target(new Target.Present("default", 3, true))))
                .isEqualTo(concat(latest, List.of("Ready@2/2=True")));
        assertThat(reported(facts.target(new Target.Missing("default"))))
                .as("the number of replicas is not known")
                .isEqualTo(List.of(
                        "Scheduled@2=False",
                        "Initialized@2=True",
                        "Ready@2/0=True",
                        "Ready@2/1=True",
                        "Ready@2/2=True"));
    }

    private static List<String> concat(List<String> one, List<String> other) {
        return Stream.concat(one.stream(), other.stream()).toList();
    }

    private static List<String> reported(FactsBuilder facts) {
        return StatusDerivation.derive(facts.build()).conditions().stream()
                .filter(condition -> condition.generation() != Condition.WHOLE_POLICY)
                .map(condition -> condition.type() + "@" + condition.generation()
                        + (condition.replica() == Condition.NO_REPLICA ? "" : "/" + condition.replica()) + "="
                        + condition.status().wireName())
                .toList();
    }

    @Test
    void saysWhyAPolicyIsNotScheduled() {
        assertThat(scheduled(new FactsBuilder()))
                .isEqualTo("WaitingForPolicyServer " + Messages.WAITING_FOR_POLICY_SERVER);
        assertThat(scheduled(at(new Target.Missing("a"))))
                .isEqualTo("PolicyServerNotFound PolicyServer a does not exist.");
        assertThat(scheduled(with(List.of("b", "a"), new Overriding.None(), List.of())))
                .isEqualTo("Conflicted another policy owns the name: [a, b]");
    }

    private static String scheduled(FactsBuilder facts) {
        return StatusDerivation.derive(facts.build()).conditions().stream()
                .filter(condition -> condition.type().equals(ConditionType.SCHEDULED.wireName()))
                .map(condition -> condition.reason() + " " + condition.message())
                .collect(Collectors.joining());
    }

    @Test
    void cutsLongListsOfNames() {
        assertThat(Names.list(Collections.nCopies(16, "p"))).endsWith("]");
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
    void doesNotAcceptAPolicyWhoseAncestorListOthersHaveFilled() {
        var other = new AncestorStatus(AncestorStatus.Ref.policyServer("x"), "example.com/other", List.of());
        var room = steady();
        room.foreign = Collections.nCopies(AncestorStatus.MAX_ENTRIES - 1, other);
        var full = steady();
        full.foreign = Collections.nCopies(AncestorStatus.MAX_ENTRIES, other);

        assertThat(acceptedMessage(room)).isEqualTo("ClusterAdmissionPolicy has been accepted");
        assertThat(ancestorNames(StatusDerivation.derive(room.build())))
                .hasSize(16)
                .contains("default");
        assertThat(acceptedMessage(full)).isEqualTo("ClusterAdmissionPolicy is invalid: ancestor list is full");
        assertThat(ancestorNames(StatusDerivation.derive(full.build())))
                .hasSize(16)
                .doesNotContain("default");
    }

    private static String acceptedMessage(FactsBuilder facts) {
        return StatusDerivation.derive(facts.build())
                .condition(ConditionType.ACCEPTED)
                .orElseThrow()
                .message();
    }

    @Test
    void readsOnlyEntriesOfOtherControllersAsForeign() {
        var foreign = new AncestorStatus(AncestorStatus.Ref.policyServer("x"), "example.com/other", List.of());
        var status = StatusDerivation.derive(steady().build());
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        policy.getMetadata().setGeneration(null);

        assertThat(Subject.of(policy)).isEqualTo(new Subject("AdmissionPolicy", 0, List.of()));

        policy.getMetadata().setGeneration(7L);
        policy.setStatus(new PolicyStatus(
                status.policyStatus(),
                status.phase(),
                status.mode(),
                7,
                7,
                "default",
                List.of(),
                List.of(status.ancestors().getFirst(), foreign),
                List.of()));
        assertThat(Subject.of(policy)).isEqualTo(new Subject("AdmissionPolicy", 7, List.of(foreign)));
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
