package io.portcullis.evaluator.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.sun.management.ThreadMXBean;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.wasm.Deadline;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tests section 7 of evaluation.md; wire examples 40 to 49. */
class GroupPoliciesTest {

    private static final EvaluationRequest REQUEST = new EvaluationRequest.Raw("u", new byte[] {'{', '}'});

    private final List<String> evaluated = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();
    private final List<Deadline> deadlines = new ArrayList<>();
    private final List<EvaluationRequest> requests = new ArrayList<>();

    private final Map<String, PolicyEvaluator> members = new LinkedHashMap<>(Map.of());

    private GroupPoliciesTest member(String name, PolicyVerdict verdict) {
        members.put(name, new PolicyEvaluator() {
            @Override
            public String id() {
                return "g/" + name;
            }

            @Override
            public PolicyVerdict judge(EvaluationRequest request, Deadline deadline) {
                evaluated.add(name);
                deadlines.add(deadline);
                requests.add(request);
                return verdict;
            }

            @Override
            public SettingsOutcome validateSettings() {
                return new SettingsOutcome.Valid();
            }

            @Override
            public void close() {
                closed.add(name);
            }
        });
        return this;
    }

    private LoadedPolicy group(String expression, PolicyMode mode) {
        return group(expression, mode, true);
    }

    private LoadedPolicy group(String expression, PolicyMode mode, boolean memberWarnings) {
        var modules = new LinkedHashMap<String, PolicyEntry.Module>();
        members.keySet()
                .forEach(name -> modules.put(
                        name,
                        new PolicyEntry.Module(
                                name, JsonNodeFactory.instance.objectNode(), Set.of(), Optional.empty(), List.of())));
        var entry = new PolicyEntry.Group(modules, expression, "the group says no", mode);
        return new GroupPolicies(Optional.of(Duration.ofSeconds(2)), memberWarnings).assemble("g", entry, members);
    }

    private AdmissionResponse validate(String expression) {
        return group(expression, PolicyMode.PROTECT).validate(REQUEST);
    }

    private static PolicyVerdict accepting() {
        return new PolicyVerdict.Decided(AdmissionResponse.allow("u"));
    }

    private static PolicyVerdict rejecting(String message) {
        return new PolicyVerdict.Decided(AdmissionResponse.reject("u", Status.message(message)));
    }

    private static PolicyVerdict failing(String message) {
        return new PolicyVerdict.Failed(
                EvaluationFailure.DEADLINE, AdmissionResponse.reject("u", Status.error(message)));
    }

    @Test
    void allowsWhenTheExpressionIsTrue() {
        member("a", accepting()).member("b", accepting());

        assertThat(validate("a() && b()")).isEqualTo(AdmissionResponse.allow("u"));
    }

    @Test
    void rejectsWithTheGroupsMessageAndTheDeniedMembersInOrderOfDefinition() {
        member("a", rejecting("not a")).member("b", rejecting("not b")).member("c", accepting());

        var response = validate("(b() || a()) && c()");

        assertThat(response.allowed()).isFalse();
        assertThat(response.status())
                .contains(new Status(
                        Optional.empty(),
                        Optional.of("the group says no"),
                        Optional.empty(),
                        Optional.of(Details.causes(List.of(
                                new Cause(null, "not a", "spec.policies.a"),
                                new Cause(null, "not b", "spec.policies.b")))),
                        Optional.empty()));
        assertThat(evaluated).containsExactly("b", "a");
    }

    @Test
    void negatedMemberThatAcceptsAddsNoCause() {
        member("a", accepting());

        var details = validate("!a()").status().flatMap(Status::details);

        assertThat(details).contains(Details.causes(List.of()));
    }

    @Test
    void evaluatesEachMemberOnce() {
        member("a", accepting());

        validate("a() && a() && (a() || a())");

        assertThat(evaluated).containsExactly("a");
    }

    @Test
    void treatsAMutatingMemberAsRejecting() {
        var mutating = new AdmissionResponse("u", true, Optional.of(new byte[0]), Optional.empty(), null, null);
        member("m", new PolicyVerdict.Decided(mutating));

        var response = validate("m()");

        assertThat(response.allowed()).isFalse();
        assertThat(response.patch()).isEmpty();
        assertThat(response.status().flatMap(Status::details).orElseThrow().causes())
                .containsExactly(new Cause(null, "mutation is not allowed inside of policy group", "spec.policies.m"));
    }

    @Test
    void failingMemberRejectsEvenIfTheExpressionWouldIgnoreIt() {
        member("a", failing("Policy execution interrupted")).member("b", accepting());

        for (var expression : List.of("a() || b()", "!a()", "a() == false")) {
            var status = validate(expression).status().orElseThrow();

            assertThat(status.message())
                    .contains(
                            "error evaluating policy group expression: error invoking g/a: Policy execution interrupted");
            assertThat(status.code()).contains(500);
            assertThat(group(expression, PolicyMode.PROTECT).audit(REQUEST))
                    .isInstanceOfSatisfying(
                            PolicyVerdict.Failed.class,
                            failed -> assertThat(failed.cause()).isEqualTo(EvaluationFailure.DEADLINE));
        }
        assertThat(validate("b() || a()").allowed()).isTrue();
    }

    @Test
    void keepsWarningsAndAnnotationsOfMembers() {
        member(
                "a",
                new PolicyVerdict.Decided(new AdmissionResponse(
                        "u", true, Optional.empty(), Optional.empty(), Map.of("k", "v"), List.of("careful"))));
        member("b", accepting());

        var response = validate("a() && b()");

        assertThat(response.warnings()).containsExactly("a: careful");
        assertThat(response.auditAnnotations()).containsExactly(Map.entry("a.k", "v"));
    }

    @Test
    void monitorModeAllowsWhileTheAuditReportsTheRejection() {
        member("a", rejecting("not a"));
        var group = group("a()", PolicyMode.MONITOR);

        assertThat(group.validate(REQUEST)).isEqualTo(AdmissionResponse.allow("u"));
        assertThat(group.audit(REQUEST).response().allowed()).isFalse();
    }

    @Test
    void oneTimeLimitCoversTheWholeGroup() {
        member("a", accepting()).member("b", accepting());

        validate("a() && b()");

        assertThat(deadlines).hasSize(2);
        assertThat(deadlines.getFirst()).isEqualTo(deadlines.getLast());
    }

    @Test
    void rejectsAnInvalidExpressionAtLoadWithoutClosingTheMembers() {
        member("a", accepting());

        assertThatThrownBy(() -> group("a() || nope()", PolicyMode.PROTECT))
                .isInstanceOfSatisfying(
                        PolicyLoadException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_EXPRESSION))
                .hasMessageContaining("nope")
                .hasMessageContaining("line 1, position");
        assertThat(closed).isEmpty();
    }

    /** Parsing allocates a hundred times more than evaluating the tree, so a parse per request would be measurable. */
    @Test
    void parsesTheExpressionOnlyAtLoad() {
        member("a", accepting());
        var group = group("a() && !a()", PolicyMode.PROTECT);
        Runnable parsing = () -> GroupExpression.parse("a() && !a()", Set.of("a"));

        assertThat(allocatedBy(() -> group.validate(REQUEST)) * 10).isLessThan(allocatedBy(parsing));
    }

    /** The smallest instance of a guest has a memory of 64 KiB, and an evaluation copies the request. */
    @Test
    void aGroupCostsLittleMoreThanItsMembers() {
        member("a", accepting()).member("b", accepting()).member("c", rejecting("not c"));
        var group = group("a() && b() && (c() || a())", PolicyMode.PROTECT);

        group.validate(REQUEST);
        assertThat(evaluated).containsExactly("a", "b", "c");
        assertThat(allocatedBy(() -> group.validate(REQUEST))).isLessThan(4096);
    }

    private static long allocatedBy(Runnable action) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            action.run();
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        return least;
    }

    @Test
    void aRejectionWarnsOfTheResultOfEachEvaluatedMember() {
        member("unused", accepting()).member("a", rejecting("not a")).member("b", accepting());

        var response = validate("!b() || a() || (a() && unused())");

        assertThat(response.warnings()).containsExactly("a was rejected: not a", "b was accepted");
        assertThat(response.status().flatMap(Status::details).orElseThrow().causes())
                .containsExactly(new Cause(null, "not a", "spec.policies.a"));
    }

    @Test
    void resultsOfMembersStandBeforeTheirOwnWarnings() {
        member(
                "a",
                new PolicyVerdict.Decided(new AdmissionResponse(
                        "u", true, Optional.empty(), Optional.empty(), null, List.of("careful"))));
        member("b", rejecting("not b"));

        assertThat(validate("a() && b()").warnings())
                .containsExactly("a was accepted", "b was rejected: not b", "a: careful");
    }

    @Test
    void aGroupThatFailsWarnsOfTheMembersBeforeTheFailure() {
        member("a", rejecting("not a")).member("b", failing("interrupted"));

        assertThat(validate("a() || b()").warnings()).containsExactly("a was rejected: not a");
    }

    @Test
    void warningsOfResultsCanBeTurnedOff() {
        member("a", rejecting("not a")).member("b", accepting());

        var response = group("a() || !b()", PolicyMode.PROTECT, false).validate(REQUEST);

        assertThat(response.warnings()).isNull();
        assertThat(response.status().flatMap(Status::details).orElseThrow().causes())
                .containsExactly(new Cause(null, "not a", "spec.policies.a"));
    }

    @Test
    void acceptedRequestsHaveNoWarningsOfResults() {
        member("a", rejecting("not a")).member("b", accepting());

        assertThat(validate("a() || b()").warnings()).isNull();
    }

    @Test
    void passesARawRequestUnchangedToEveryMember() {
        member("a", accepting()).member("b", accepting());

        assertThat(validate("a() && b()")).isEqualTo(AdmissionResponse.allow("u"));
        assertThat(requests).containsExactly(REQUEST, REQUEST);
    }

    /** Both threads must be in the group at the same time, otherwise the test blocks at the barrier. */
    @Test
    void evaluatesRequestsConcurrently() throws Exception {
        var together = new CyclicBarrier(2);
        members.put("a", new PolicyEvaluator() {
            @Override
            public String id() {
                return "g/a";
            }

            @Override
            public PolicyVerdict judge(EvaluationRequest request, Deadline deadline) {
                try {
                    together.await(10, TimeUnit.SECONDS);
                    return accepting();
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    return failing("alone");
                }
            }

            @Override
            public SettingsOutcome validateSettings() {
                return new SettingsOutcome.Valid();
            }

            @Override
            public void close() {}
        });
        var group = group("a()", PolicyMode.PROTECT);

        try (var threads = Executors.newFixedThreadPool(2)) {
            var first = threads.submit(() -> group.validate(REQUEST));
            var second = threads.submit(() -> group.validate(REQUEST));

            assertThat(first.get().allowed()).isTrue();
            assertThat(second.get().allowed()).isTrue();
        }
    }

    @Test
    void closesItsMembers() {
        member("a", accepting()).member("b", accepting());

        group("a()", PolicyMode.PROTECT).close();

        assertThat(closed).containsExactly("a", "b");
    }
}
