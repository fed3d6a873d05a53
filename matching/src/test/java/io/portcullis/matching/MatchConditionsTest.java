package io.portcullis.matching;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.matching.MatchOutcome.ConditionError;
import io.portcullis.matching.MatchOutcome.Consequence;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests conditions against the answers of an API server. */
class MatchConditionsTest {

    /** A request about a cluster-scoped object without a user, as the audit scanner makes it. */
    private static final JsonNode REQUEST = YamlDocuments.parse("""
            uid: u1
            operation: CREATE
            namespace: shop
            subResource: ''
            requestSubResource: null
            kind: {group: '', version: v1, kind: Pod}
            resource: {group: '', version: v1, resource: pods}
            object:
              metadata: {name: web-1, labels: {tier: front}}
              spec:
                replicas: 3
                share: 0.5
                whole: 3.0
                big: 12345678901234567890
                max: 9223372036854775807
                hostNetwork: false
                nothing: null
                containers: [{image: 'a:1'}, {image: 'b:2'}]
            """);

    private static MatchOutcome evaluate(FailurePolicy failurePolicy, String... expressions) {
        var conditions = IntStream.range(0, expressions.length)
                .mapToObj(i -> new MatchCondition(expressions[i], "c" + i))
                .toList();
        return MatchConditions.compile(conditions, failurePolicy).evaluate(AdmissionAttributes.of(REQUEST));
    }

    private static MatchOutcome evaluate(String... expressions) {
        return evaluate(FailurePolicy.FAIL, expressions);
    }

    private static List<ConditionError> errors(String expression) {
        return evaluate(expression) instanceof MatchOutcome.Failed failed ? failed.errors() : List.of();
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
    void appliesIfTheExpressionIsTrue(String expression) {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'ÄÖ-A'.lowerAscii() == 'ÄÖ-a' && 'äß-a'.upperAscii() == 'äß-A'",
                "'İI'.lowerAscii() == 'İi' && 'ıi'.upperAscii() == 'ıI'",
                "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'a,b,c'.split(',') == ['a', 'b', 'c']",
                "'é1'.substring(1) == '1' && '😀1'.substring(1) == '1' && '😀1'.indexOf('1') == 1",
                "'a-b-c'.replace('-', '+', 1) == 'a+b-c' && 'aba'.lastIndexOf('a', 1) == 0 && 'abc'.charAt(1) == 'b'",
                "['a', 'b'].join() == 'ab' && ['a', 'b'].join('-') == 'a-b' && ' a '.trim() == 'a'",
                "strings.quote('a') == '\"a\"'",
            })
    void hasTheStringFunctionsOfTheApiServer(String expression) {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sets.contains(['a', 'b'], ['a']) && sets.intersects(['a'], ['b', 'a']) && sets.equivalent([1, 1], [1])",
                "object.spec.containers.map(c, c.image).exists_one(i, i == 'a:1')",
            })
    void hasSetsAndLists(String expression) {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "object.spec.replicas == 3 && object.spec.replicas == 3.0 && object.spec.replicas == 3u",
                "object.spec.replicas < 3.5 && object.spec.replicas > 2u && 3.5 > object.spec.replicas",
                "object.spec.whole == 3 && type(object.spec.whole) == double && type(object.spec.replicas) == int",
                "-1 < 1u && 1u > -1.5",
                "object.spec.replicas in [3.0] && object.spec.replicas in [3u]",
                "object.spec.max == 9223372036854775807 && type(object.spec.max) == int",
                // Beyond 64 bits the API server reads a number as a double.
                "type(object.spec.big) == double && object.spec.big > 9223372036854775807 && object.spec.big > 1.2e19",
            })
    void comparesNumbersAcrossTypes(String expression) {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "object.metadata.?labels.?tier.orValue('none') == 'front'",
                "object.metadata.?annotations.?a.orValue('none') == 'none'",
                "!object.?status.hasValue() && object.?metadata.hasValue()",
                "object.metadata.?labels[?'tier'].optMap(t, t + '!').orValue('') == 'front!'",
                "!optional.none().hasValue() && optional.of(1).value() == 1",
                "request.?subResource.orValue('none') == 'none' || true",
            })
    void hasOptionalFields(String expression) {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "has(object.metadata.labels.tier) && !has(object.metadata.labels.app)",
                "!has(object.status) && has(object.spec.nothing) && !has(object.spec.absent)",
                "has(request.namespace) && !has(request.subResource) && !has(request.requestSubResource)",
                "!has(request.name) && !has(request.dryRun) && !has(request.uid) && !has(request.object)",
            })
    void hasReportsOnlyPresentFields(String expression) {
        assertThat(evaluate(expression)).isEqualTo(MatchOutcome.APPLIES);
    }

    @Test
    void doesNotApplyIfAnyConditionIsFalse() {
        assertThat(evaluate("true", "object.spec.replicas == 1")).isEqualTo(new MatchOutcome.DoesNotApply("c1"));
        assertThat(evaluate("authorizer.group('').allowed()", "false")).isEqualTo(new MatchOutcome.DoesNotApply("c1"));
        assertThat(evaluate("false", "object.nope == 1")).isEqualTo(new MatchOutcome.DoesNotApply("c0"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "request.userInfo.username == 'alice'",
                "!('system:nodes' in request.userInfo.groups)",
                "has(request.userInfo)",
                "request.?userInfo.?username.orValue('') == 'alice'",
                "request.options.dryRun == 'All'",
                "authorizer.group('').resource('pods').check('get').allowed()",
                "quantity('1Gi').isGreaterThan(quantity('1Mi'))",
                "'abc'.reverse() == 'cba'",
                // The API server takes only expressions whose type is bool.
                "object.metadata.name",
                "object.spec.hostNetwork",
                "'text'",
                // cel-java cannot tell an error in a function from an internal error.
                "'abc'.substring(7) == ''",
                "this is no expression",
                "",
            })
    void reportsWhatOnlyTheApiServerMayKnow(String expression) {
        assertThat(errors(expression)).hasSize(1).allMatch(error -> !error.isCertain());
        assertThat(evaluate("true", expression))
                .isInstanceOfSatisfying(
                        MatchOutcome.Failed.class,
                        failed -> assertThat(failed.consequence()).isEqualTo(Consequence.UNKNOWN));
    }

    @Test
    void namesTheUnknownField() {
        assertThat(errors("request.userInfo.username == 'alice'"))
                .extracting(ConditionError::reason)
                .containsExactly("request.userInfo is unknown");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "object.metadata.annotations.a == 'b'",
                "request.subResource == ''",
                "object.spec.containers[2].image == 'c'",
                "object.spec.replicas / 0 == 1",
                "object.metadata.name > 1",
            })
    void reportsErrorsThatTheApiServerHasToo(String expression) {
        assertThat(errors(expression)).hasSize(1).allMatch(ConditionError::isCertain);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "FAIL   | object.no.such == 1 | true                          | REJECTED",
                "IGNORE | object.no.such == 1 | true                          | NOT_CALLED",
                "FAIL   | object.no.such == 1 | request.userInfo.uid == ''    | UNKNOWN",
                "IGNORE | object.no.such == 1 | request.userInfo.uid == ''    | NOT_CALLED",
                "FAIL   | true                | request.userInfo.uid == ''    | UNKNOWN",
                "IGNORE | true                | request.userInfo.uid == ''    | UNKNOWN",
            })
    void failurePolicyDecidesOnErrors(FailurePolicy policy, String first, String second, Consequence consequence) {
        assertThat(evaluate(policy, first, second))
                .isInstanceOfSatisfying(
                        MatchOutcome.Failed.class,
                        failed -> assertThat(failed.consequence()).isEqualTo(consequence));
    }

    @Test
    void returnsAllErrors() {
        assertThat(evaluate("object.no.such == 1", "true", "object.nor.such == 1"))
                .isInstanceOfSatisfying(
                        MatchOutcome.Failed.class,
                        failed -> assertThat(failed.errors())
                                .extracting(ConditionError::condition)
                                .containsExactly("c0", "c2"));
    }

    /** A decided operand makes up for an error or an unknown value of the other one. */
    @Test
    void shortCircuitsErrors() {
        assertThat(evaluate("true || object.no.such == 1", "object.no.such == 1 || true"))
                .isEqualTo(MatchOutcome.APPLIES);
        assertThat(evaluate("request.userInfo.username == 'a' && false"))
                .isEqualTo(new MatchOutcome.DoesNotApply("c0"));
    }

    @Test
    void limitsNestedLoops() {
        var numbers = IntStream.range(0, 100).mapToObj(String::valueOf).collect(Collectors.joining(",", "[", "]"));

        assertThat(errors("%1$s.all(a, %1$s.all(b, %1$s.all(c, a + b + c >= 0)))".formatted(numbers)))
                .singleElement()
                .satisfies(error -> {
                    assertThat(error.reason()).contains("budget");
                    assertThat(error.isCertain()).isFalse();
                });
    }

    @Test
    void limitsTheSizeOfExpressions() {
        assertThat(errors("'" + "a".repeat(200_000) + "' == ''")).hasSize(1);
        assertThat(errors("(".repeat(500) + "true" + ")".repeat(500))).hasSize(1);
    }

    @Test
    void acceptsConditionsWithoutNameOrExpression() {
        assertThat(MatchConditions.compile(Arrays.asList(new MatchCondition()), FailurePolicy.FAIL)
                        .evaluate(AdmissionAttributes.of(REQUEST)))
                .isInstanceOf(MatchOutcome.Failed.class);
        assertThat(MatchConditions.compile(List.of(), FailurePolicy.FAIL).isEmpty())
                .isTrue();
    }
}
