package io.portcullis.core.status;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.AncestorStatus;
import io.portcullis.api.policy.Phase;
import io.portcullis.api.policy.PolicyState;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.core.status.Facts.Endpoint;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.core.status.Facts.Overriding;
import io.portcullis.core.status.Facts.Precedence;
import io.portcullis.core.status.Facts.Probe;
import io.portcullis.core.status.Facts.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Checks invariants of the derived status with random facts. {@code -Dseed=…} repeats a run. */
class InvariantsTest {

    private static final int TUPLES = 120_000;
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @Test
    void invariantsHoldForRandomFacts() {
        var random = new Random(SEED);
        var seen = new HashSet<String>();
        for (int i = 0; i < TUPLES; i++) {
            var facts = facts(random).build();
            var status = StatusDerivation.derive(facts);
            seen.add(TruthTableTest.render(status));
            var violations = violations(facts, status);
            if (!violations.isEmpty()) {
                throw new AssertionError(
                        "-Dseed=" + SEED + " tuple " + i + ": " + violations + "\n" + facts + "\n" + status);
            }
        }
        System.out.println("InvariantsTest: seed " + SEED + ", " + TUPLES + " tuples, " + seen.size() + " situations");
        assertThat(seen).as("the generator reaches many situations").hasSizeGreaterThan(35);
    }

    /** The status depends only on the set of reports, because reports arrive in any order. */
    @Test
    void statusDoesNotDependOnTheOrderOfReports() {
        var random = new Random(SEED);
        for (int i = 0; i < 5_000; i++) {
            var builder = facts(random);
            var expected = StatusDerivation.derive(builder.build());
            Collections.shuffle(builder.reports, random);
            assertThat(StatusDerivation.derive(builder.build()))
                    .as("-Dseed=%s", SEED)
                    .isEqualTo(expected);
        }
    }

    /** The previous status affects only the transition times. */
    @Test
    void statusDoesNotDependOnThePreviousStatus() {
        var random = new Random(SEED);
        var now = Instant.parse("2026-01-02T00:00:00Z");
        for (int i = 0; i < 5_000; i++) {
            var derived = StatusDerivation.derive(facts(random).build());
            var previous = TransitionTimes.stamp(
                    StatusDerivation.derive(facts(random).build()), null, Instant.parse("2026-01-01T00:00:00Z"));

            var stamped = TransitionTimes.stamp(derived, previous, now);

            assertThat(withoutTimes(stamped)).as("-Dseed=%s", SEED).isEqualTo(withoutTimes(derived));
            assertThat(TransitionTimes.stamp(derived, stamped, now.plusSeconds(60)))
                    .as("a second reconcile of unchanged facts needs no write, -Dseed=%s", SEED)
                    .isEqualTo(stamped);
        }
    }

    private static List<String> violations(Facts facts, PolicyStatus status) {
        var violations = new ArrayList<String>();
        boolean active = status.policyStatus() == PolicyState.ACTIVE;
        boolean allThree = isTrue(status, ConditionType.POLICY_ACTIVE)
                && isTrue(status, ConditionType.POLICY_SERVER_CONFIGURATION_UP_TO_DATE)
                && isTrue(status, ConditionType.POLICY_UNIQUELY_REACHABLE);
        var accepted = status.condition(ConditionType.ACCEPTED).orElseThrow();
        var enforced = status.condition(ConditionType.ENFORCED).orElseThrow();
        long generation = facts.subject().generation();

        check(violations, "active ⇒ Active", !active || status.phase() == Phase.ACTIVE);
        check(
                violations,
                "Active ⇒ the latest generation is in the webhook",
                status.phase() != Phase.ACTIVE || status.activeGeneration() == generation);
        check(
                violations,
                "Active ⇒ active or a replica is ready",
                status.phase() != Phase.ACTIVE || active || !facts.endpoints().isEmpty());
        check(
                violations,
                "Updating ⇒ an older generation is in the webhook",
                status.phase() != Phase.UPDATING
                        || (status.activeGeneration() > 0 && status.activeGeneration() != generation));
        check(violations, "active ⇔ all three", active == allThree);
        check(violations, "Enforced ⇒ active", !enforced.isTrue() || active);
        check(
                violations,
                "active and not enforced ⇒ message is not empty",
                !active || enforced.isTrue() || !enforced.message().isEmpty());
        check(
                violations,
                "TargetNotFound ⇔ unscheduled or scheduled",
                accepted.reason().equals("TargetNotFound")
                        == (status.policyStatus() == PolicyState.UNSCHEDULED
                                || status.policyStatus() == PolicyState.SCHEDULED));
        check(
                violations,
                "no webhook ⇒ neither Enforced nor PolicyActive",
                status.activeGeneration() > 0 || (!enforced.isTrue() && !isTrue(status, ConditionType.POLICY_ACTIVE)));
        check(
                violations,
                "active ⇒ only the latest generation is listed",
                !active
                        || status.conditions().stream()
                                .allMatch(c -> c.generation() == 0 || c.generation() == generation));
        check(violations, "not accepted ⇒ not active", accepted.isTrue() || !active);
        check(violations, "Invalid ⇒ Failed", !accepted.reason().equals("Invalid") || status.phase() == Phase.FAILED);
        check(
                violations,
                "environment failures never make a policy Invalid",
                !accepted.reason().equals("Invalid")
                        || facts.wanted().defect().isPresent()
                        || facts.registration().refusal().isPresent()
                        || facts.subject().foreignAncestors().size() >= AncestorStatus.MAX_ENTRIES);
        check(
                violations,
                "Enforced ⇒ fresh evidence that every ready replica serves the latest generation",
                !enforced.isTrue()
                        || (!facts.endpoints().isEmpty()
                                && facts.endpoints().stream()
                                        .allMatch(endpoint -> endpoint.probe() instanceof Probe.Answered answer
                                                && answer.age().compareTo(Duration.ofSeconds(30)) <= 0
                                                && answer.generations().contains(generation))));
        check(
                violations,
                "scheduled ⇒ condition Scheduled is False",
                status.policyStatus() != PolicyState.SCHEDULED
                        || status.conditions().stream()
                                .anyMatch(c ->
                                        c.type().equals("Scheduled") && c.generation() == generation && c.isFalse()));
        check(
                violations,
                "PolicyAffected ⇔ accepted and computed",
                status.condition(ConditionType.POLICY_AFFECTED).isPresent()
                        == (accepted.isTrue() && facts.precedence().affectedBy().isPresent()));
        check(
                violations,
                "keys are unique",
                status.conditions().stream().map(Condition::key).distinct().count()
                        == status.conditions().size());
        check(
                violations,
                "conditions of the policy have observedGeneration",
                status.conditions().stream()
                        .filter(c -> c.generation() == 0)
                        .allMatch(c -> Long.valueOf(generation).equals(c.observedGeneration())));
        check(
                violations,
                "foreign ancestors are kept and at most one is added",
                status.ancestors().containsAll(facts.subject().foreignAncestors())
                        && status.ancestors().size()
                                <= facts.subject().foreignAncestors().size() + 1
                        && status.ancestors().size() <= AncestorStatus.MAX_ENTRIES);
        check(
                violations,
                "mode is set ⇔ a generation is served",
                status.mode().equals("unknown") == (status.activeGeneration() == 0));
        check(
                violations,
                "same facts, same status",
                StatusDerivation.derive(facts).equals(status));
        return violations;
    }

    private static void check(List<String> violations, String invariant, boolean holds) {
        if (!holds) {
            violations.add(invariant);
        }
    }

    private static boolean isTrue(PolicyStatus status, ConditionType type) {
        return status.condition(type).orElseThrow().isTrue();
    }

    private static PolicyStatus withoutTimes(PolicyStatus status) {
        return new PolicyStatus(
                status.policyStatus(),
                status.phase(),
                status.mode(),
                status.observedGeneration(),
                status.activeGeneration(),
                status.activePolicyServer(),
                status.conditions().stream()
                        .map(c -> new Condition(
                                c.type(),
                                c.status(),
                                c.reason(),
                                c.message(),
                                c.generation(),
                                c.replica(),
                                c.observedGeneration(),
                                null,
                                c.reporterUID()))
                        .toList(),
                List.of(),
                status.revisions());
    }

    /** Returns random facts. Likely facts occur more often. */
    private static FactsBuilder facts(Random random) {
        var facts = new FactsBuilder();
        facts.generation = 1L + random.nextInt(3);
        int replicas = random.nextInt(4);
        facts.target = switch (random.nextInt(8)) {
            case 0 -> new Target.Unnamed();
            case 1 -> new Target.Missing("default");
            case 2 -> random.nextBoolean() ? new Target.Deleting("default") : new Target.Uninstalled("default");
            default -> new Target.Present("default", replicas, random.nextInt(4) > 0);
        };
        switch (random.nextInt(6)) {
            case 0 -> {}
            case 1 -> facts.scheduled();
            case 2 -> facts.initialized(pick(random, ConditionType.INITIALIZED));
            default -> facts.initialized(Reason.POLICY_INITIALIZED);
        }
        boolean isHealthy = random.nextBoolean();
        for (int replica = 0; replica < replicas + random.nextInt(2); replica++) {
            if (isHealthy) {
                facts.loadedBy(replica);
            } else if (random.nextInt(3) > 0) {
                facts.ready(replica, pick(random, ConditionType.READY));
            }
        }
        facts.webhook = switch (random.nextInt(5)) {
            case 0, 1 -> 0;
            case 2 -> Math.max(1, facts.generation - 1);
            default -> facts.generation;
        };
        facts.mode = random.nextBoolean() ? PolicyMode.PROTECT : PolicyMode.MONITOR;
        facts.fidelity = switch (random.nextInt(6)) {
            case 0 -> new Fidelity.Drifted("rules");
            case 1 -> new Fidelity.Misrouted("path");
            default -> new Fidelity.Exact();
        };
        facts.refusal = random.nextInt(12) == 0 ? Optional.of("refused") : Optional.empty();
        facts.endpoints = endpoints(random, facts);
        facts.precedence = new Precedence(
                random.nextInt(12) == 0 ? List.of("other") : List.of(),
                switch (random.nextInt(10)) {
                    case 0 -> new Overriding.Partly(List.of("other"));
                    case 1 -> new Overriding.Wholly(List.of("other"));
                    case 2 -> new Overriding.Conflicting(List.of("other"));
                    default -> new Overriding.None();
                },
                random.nextInt(4) == 0
                        ? Optional.empty()
                        : Optional.of(Collections.nCopies(random.nextInt(3) * 10, "neighbour")));
        facts.foreign = Collections.nCopies(
                random.nextInt(20) == 0 ? 16 : random.nextInt(3),
                new AncestorStatus(AncestorStatus.Ref.policyServer("x"), "example.com/other", List.of()));
        return facts;
    }

    private static List<Endpoint> endpoints(Random random, FactsBuilder facts) {
        var endpoints = new ArrayList<Endpoint>();
        boolean isHealthy = random.nextInt(3) > 0;
        int count = random.nextInt(4);
        for (int i = 0; i < count; i++) {
            Probe probe = isHealthy
                    ? new Probe.Answered(Set.of(facts.generation), Duration.ofSeconds(random.nextInt(31)))
                    : switch (random.nextInt(4)) {
                        case 0 -> new Probe.NotProbed();
                        case 1 -> new Probe.Failed("timeout");
                        case 2 -> new Probe.Answered(Set.of(), Duration.ofSeconds(1));
                        default ->
                            new Probe.Answered(Set.of(1L + random.nextInt(3)), Duration.ofSeconds(random.nextInt(60)));
                    };
            endpoints.add(new Endpoint("replica-" + i, probe));
        }
        return endpoints;
    }

    private static Reason pick(Random random, ConditionType type) {
        var reasons = List.of(Reason.values()).stream()
                .filter(reason -> reason.type() == type)
                .toList();
        return reasons.get(random.nextInt(reasons.size()));
    }
}
