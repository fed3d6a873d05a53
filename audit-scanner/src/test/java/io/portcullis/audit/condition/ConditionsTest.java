package io.portcullis.audit.condition;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests conditions on an existing object. */
class ConditionsTest {

    private static final Map<String, Object> REQUEST =
            Map.of("operation", "CREATE", "namespace", "shop", "kind", Map.of("kind", "Pod"));

    private static JsonNode pod() throws Exception {
        return new JsonMapper().readTree("""
                {"metadata": {"name": "web-1", "labels": {"tier": "front"}},
                 "spec": {"replicas": 3, "share": 0.5, "hostNetwork": false, "nothing": null, "containers": [{"image": "a:1"}, {"image": "b:2"}]}}""");
    }

    private static MatchOutcome evaluate(String... expressions) throws Exception {
        var conditions = Arrays.stream(expressions)
                .map(expression -> new MatchCondition(expression, "c"))
                .toList();
        return Conditions.compile(conditions).evaluate(pod(), REQUEST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "object.metadata.name.startsWith('web-')",
                "object.metadata.labels.tier == 'front'",
                "has(object.metadata.labels) && !has(object.metadata.annotations)",
                "object.spec.replicas > 2 && object.spec.share < 1.0",
                "object.spec.containers.all(c, c.image.matches('^[ab]:'))",
                "object.spec.containers.exists(c, c.image == 'b:2')",
                "oldObject == null && object.spec.nothing == null",
                "request.operation == 'CREATE' && request.kind.kind == 'Pod' && request.namespace == 'shop'",
                "object.metadata.name.upperAscii().split('-')[0] == 'WEB'",
                "object.metadata.name.replace('web', 'x').indexOf('-') == 1",
                "'tier' in object.metadata.labels",
            })
    void appliesIfTheExpressionIsTrue(String expression) throws Exception {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @Test
    void doesNotApplyIfAnyConditionIsFalse() throws Exception {
        assertThat(evaluate("true", "object.spec.replicas == 1")).isInstanceOf(MatchOutcome.DoesNotApply.class);
        assertThat(evaluate("authorizer.group('').allowed()", "false")).isInstanceOf(MatchOutcome.DoesNotApply.class);
        assertThat(evaluate("false", "object.nope == 1")).isInstanceOf(MatchOutcome.DoesNotApply.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "request.userInfo.username == 'alice'",
                "!('system:nodes' in request.userInfo.groups)",
                "authorizer.group('').resource('pods').check('get').allowed()",
                "object.metadata.annotations.a == 'b'",
                "quantity('1Gi').isGreaterThan(quantity('1Mi'))",
                "object.metadata.name",
                "this is no expression",
            })
    void reportsConditionsThatCannotBeEvaluated(String expression) throws Exception {
        assertThat(evaluate("true", expression)).isInstanceOf(MatchOutcome.NotEvaluated.class);
    }
}
