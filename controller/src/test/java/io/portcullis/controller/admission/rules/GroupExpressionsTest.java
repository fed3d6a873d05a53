package io.portcullis.controller.admission.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.group.GroupPolicies;
import io.portcullis.wasm.Deadline;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The webhook accepts exactly the expressions that policy servers can load. */
class GroupExpressionsTest {

    private static final List<String> MEMBERS = List.of("a", "b", "match");

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "true; a()",
                "true; a() && !b() || (a() == b()) != true",
                "true; match() || false",
                "true; true",
                "false; a",
                "false; a() && nope()",
                "false; a() || nope()",
                "false; a(1)",
                "false; A()",
                "false; 1 + 1",
                "false; 5",
                "false; 2 > 1",
                "false; a() ? b() : true",
                "false; a() & b()",
                "false; a() and b()",
                "false; [true] == [true]",
                "false; [a()].exists(x, x)",
                "false; dyn(true)",
                "false; eval(\"true\")",
                "false; a(",
            })
    void webhookAndServerAcceptTheSameExpressions(boolean isValid, String expression) {
        assertThat(isAccepted(expression)).as("the webhook").isEqualTo(isValid);
        assertThat(isLoaded(expression)).as("the server").isEqualTo(isValid);
    }

    private static boolean isAccepted(String expression) {
        var group = new ClusterAdmissionPolicyGroup();
        group.getSpec().put("expression", expression).put("message", "no");
        var policies = group.getSpec().putObject("policies");
        MEMBERS.forEach(name -> policies.putObject(name).put("module", "registry://example.com/" + name + ":v1"));
        return GroupExpressions.check(group).isEmpty();
    }

    private static boolean isLoaded(String expression) {
        var modules = new LinkedHashMap<String, PolicyEntry.Module>();
        var evaluators = new LinkedHashMap<String, PolicyEvaluator>();
        for (var name : MEMBERS) {
            var settings = JsonNodeFactory.instance.objectNode();
            modules.put(name, new PolicyEntry.Module(name, settings, Set.of(), Optional.empty(), List.of()));
            evaluators.put(name, new NeverCalled(name));
        }
        var entry = new PolicyEntry.Group(modules, expression, "no", PolicyMode.PROTECT);
        try (var _ = new GroupPolicies(Optional.empty(), true).assemble("g", entry, evaluators)) {
            return true;
        } catch (PolicyLoadException e) {
            return false;
        }
    }

    private record NeverCalled(String id) implements PolicyEvaluator {

        @Override
        public PolicyVerdict judge(EvaluationRequest request, Deadline deadline) {
            throw new AssertionError("loading a group must not evaluate its members");
        }

        @Override
        public SettingsOutcome validateSettings() {
            throw new AssertionError("loading a group must not evaluate its members");
        }

        @Override
        public void close() {}
    }
}
