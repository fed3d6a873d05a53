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
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.runtime.SettingsOutcome;
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

/** Section 7 of evaluation.md; wire examples 40 to 49. */
class GroupPoliciesTest {

    private static final EvaluationRequest REQUEST = new EvaluationRequest.Raw("u", new byte[] {'{', '}'});

    private final List<String> asked = new ArrayList<>();
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
                asked.add(name);
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
        var modules = new LinkedHashMap<String, PolicyEntry.Module>();
        members.keySet()
                .forEach(name -> modules.put(
                        name,
                        new PolicyEntry.Module(
                                name, JsonNodeFactory.instance.objectNode(), Set.of(), Optional.empty(), List.of())));
        var entry = new PolicyEntry.Group(modules, expression, "the group says no", mode);
        return new GroupPolicies(Optional.of(Duration.ofSeconds(2))).assemble("g", entry, members);
    }

    private AdmissionResponse validate(String expression) {
        return group(expression, PolicyMode.PROTECT).validate(REQUEST);
    }

    private static PolicyVerdict yes() {
        return new PolicyVerdict.Decided(AdmissionResponse.allow("u"));
    }

    private static PolicyVerdict no(String message) {
        return new PolicyVerdict.Decided(AdmissionResponse.reject("u", Status.message(message)));
    }

    private static PolicyVerdict broken(String message) {
        return new PolicyVerdict.Failed(AdmissionResponse.reject("u", Status.error(message)));
    }

    @Test
    void allowsWhenTheExpressionIsTrue() {
        member("a", yes()).member("b", yes());

        assertThat(validate("a() && b()")).isEqualTo(AdmissionResponse.allow("u"));
    }

    @Test
    void rejectsWithTheGroupsMessageAndTheDeniedMembersInOrderOfDefinition() {
        member("a", no("not a")).member("b", no("not b")).member("c", yes());

        var response = validate("(b() || a()) && c()");

        assertThat(response)
                .isEqualTo(AdmissionResponse.reject(
                        "u",
                        new Status(
                                Optional.empty(),
                                Optional.of("the group says no"),
                                Optional.empty(),
                                Optional.of(Details.causes(List.of(
                                        new Cause(null, "not a", "spec.policies.a"),
                                        new Cause(null, "not b", "spec.policies.b")))),
                                Optional.empty())));
        assertThat(asked).containsExactly("b", "a");
    }

    @Test
    void aNegatedMemberThatAcceptsLeavesNoCause() {
        member("a", yes());

        var details = validate("!a()").status().flatMap(Status::details);

        assertThat(details).contains(Details.causes(List.of()));
    }

    @Test
    void asksEachMemberOnce() {
        member("a", yes());

        validate("a() && a() && (a() || a())");

        assertThat(asked).containsExactly("a");
    }

    @Test
    void aMemberThatMutatesIsDenied() {
        var mutating = new AdmissionResponse("u", true, Optional.of(new byte[0]), Optional.empty(), null, null);
        member("m", new PolicyVerdict.Decided(mutating));

        var response = validate("m()");

        assertThat(response.allowed()).isFalse();
        assertThat(response.patch()).isEmpty();
        assertThat(response.status().flatMap(Status::details).orElseThrow().causes())
                .containsExactly(new Cause(null, "mutation is not allowed inside of policy group", "spec.policies.m"));
    }

    @Test
    void aMemberThatFailsRejectsEvenWhereTheExpressionWouldNotCare() {
        member("a", broken("Policy execution interrupted")).member("b", yes());

        for (var expression : List.of("a() || b()", "!a()", "a() == false")) {
            var status = validate(expression).status().orElseThrow();

            assertThat(status.message())
                    .contains(
                            "error evaluating policy group expression: error invoking g/a: Policy execution interrupted");
            assertThat(status.code()).contains(500);
        }
        assertThat(validate("b() || a()").allowed()).isTrue();
    }

    @Test
    void keepsWhatMembersSayBesidesTheirVerdict() {
        member(
                "a",
                new PolicyVerdict.Decided(new AdmissionResponse(
                        "u", true, Optional.empty(), Optional.empty(), Map.of("k", "v"), List.of("careful"))));
        member("b", yes());

        var response = validate("a() && b()");

        assertThat(response.warnings()).containsExactly("a: careful");
        assertThat(response.auditAnnotations()).containsExactly(Map.entry("a.k", "v"));
    }

    @Test
    void monitorModeAllowsAndTheAuditTellsTheTruth() {
        member("a", no("not a"));
        var group = group("a()", PolicyMode.MONITOR);

        assertThat(group.validate(REQUEST)).isEqualTo(AdmissionResponse.allow("u"));
        assertThat(group.audit(REQUEST).allowed()).isFalse();
    }

    @Test
    void oneBudgetCoversTheWholeGroup() {
        member("a", yes()).member("b", yes());

        validate("a() && b()");

        assertThat(deadlines).hasSize(2);
        assertThat(deadlines.getFirst()).isEqualTo(deadlines.getLast());
    }

    @Test
    void refusesAWrongExpressionAtLoadAndLeavesTheMembersToTheLoader() {
        member("a", yes());

        assertThatThrownBy(() -> group("a() || nope()", PolicyMode.PROTECT))
                .isInstanceOfSatisfying(
                        PolicyLoadException.class, e -> assertThat(e.reason()).isEqualTo(Reason.INVALID_EXPRESSION))
                .hasMessageContaining("nope")
                .hasMessageContaining("line 1, position");
        assertThat(closed).isEmpty();
    }

    /** Parsing allocates a hundred times what walking the tree does, so a request that parsed would show. */
    @Test
    void parsesTheExpressionAtLoadAndNeverAgain() {
        member("a", yes());
        var group = group("a() && !a()", PolicyMode.PROTECT);
        Runnable parsing = () -> GroupExpression.parse("a() && !a()", Set.of("a"));

        assertThat(allocatedBy(() -> group.validate(REQUEST)) * 10).isLessThan(allocatedBy(parsing));
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

    /** Settled: results of members are causes, as the recorded exchanges have them; warnings are the members' own. */
    @Test
    void resultsOfMembersAreCausesAndNotWarnings() {
        member("a", no("not a")).member("b", yes());

        var response = validate("a() || !b()");

        assertThat(response.warnings()).isNull();
        assertThat(response.status().flatMap(Status::details).orElseThrow().causes())
                .containsExactly(new Cause(null, "not a", "spec.policies.a"));
    }

    @Test
    void aRawRequestReachesEveryMemberAsItCame() {
        member("a", yes()).member("b", yes());

        assertThat(validate("a() && b()")).isEqualTo(AdmissionResponse.allow("u"));
        assertThat(requests).containsExactly(REQUEST, REQUEST);
    }

    /** Both threads are inside of the group at the same moment, or the test never gets past the barrier. */
    @Test
    void requestsDoNotWaitForEachOther() throws Exception {
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
                    return yes();
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    return broken("alone");
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
        member("a", yes()).member("b", yes());

        group("a()", PolicyMode.PROTECT).close();

        assertThat(closed).containsExactly("a", "b");
    }
}
