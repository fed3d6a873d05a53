package io.portcullis.kwctl.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.kwctl.cli.CommandException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks for which requests an API server would call a policy. */
class MatchCheckTest {

    private static final JsonNode POD = YamlDocuments.parse(SamplePolicies.podRequest(true));

    private static Optional<String> skipped(String spec, JsonNode request) {
        var policy = YamlDocuments.parse("{kind: ClusterAdmissionPolicy, metadata: {name: p}, spec: " + spec + "}");
        return MatchCheck.of(policy).reasonToSkip(request, Map.of("team", "a"));
    }

    private static Optional<String> condition(String expression) {
        return skipped("{matchConditions: [{name: c, expression: '" + expression.replace("'", "''") + "'}]}", POD);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "true",
                "request.userInfo.username == 'alice'",
                "object.metadata.name.startsWith('p') && oldObject == null",
                "object.spec.containers.all(c, c.securityContext.privileged)",
                "has(object.metadata.labels) && object.metadata.labels['app'] in ['web', 'db']",
                "!('system:nodes' in ['a'])",
                "object.spec.containers.size() == 1 && size(object.spec.containers) < 1.5",
                "object.metadata.name.upperAscii() == 'P' && 'A '.lowerAscii().trim() == 'a'",
                "'a,b'.split(',').join('+') == 'a+b' && 'abc'.substring(1) == 'bc' && 'abc'.substring(0, 1) == 'a'",
                "'abc'.replace('b', 'x').indexOf('x') == 1 && 'aa'.lastIndexOf('a') == 1",
                "request.resource.group == '' && request.operation == 'CREATE'",
                "object.metadata.name.matches('^p$')",
                "'ÄÖ-A'.lowerAscii() == 'ÄÖ-a' && 'äß-a'.upperAscii() == 'äß-A'",
                "'a,b,c'.split(',', 2) == ['a', 'b,c'] && 'é1'.substring(1) == '1'",
                "sets.contains(['a', 'b'], ['a'])",
                "object.metadata.?annotations.?a.orValue('none') == 'none'",
                "object.metadata.?labels.orValue({}) == {'app': 'web'}",
                // As in the API server, a decided operand short-circuits the other one.
                "true || object.nothing.there == 1"
            })
    void matchesWhenAConditionIsTrue(String expression) {
        assertThat(condition(expression)).isEmpty();
    }

    @Test
    void skipsWhenAConditionIsFalse() {
        assertThat(condition("request.userInfo.username != 'alice'")).hasValue("the matchCondition 'c' is false");
    }

    /** A false condition decides, even next to a condition that cannot be evaluated. */
    @Test
    void prefersFalseOverErrors() {
        assertThat(skipped(
                        "{matchConditions: [{name: bad, expression: object.no.such == 1}, {name: no, expression: 'false'}]}",
                        POD))
                .hasValue("the matchCondition 'no' is false");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "object.nothing.there == 1 | nothing",
                "authorizer.group('').resource('pods').check('get').allowed() | authorizer",
                "quantity('1Gi').isLessThan(quantity('2Gi')) | quantity",
                "1 + | mismatched",
                "'text' | bool",
                "'abc'.substring(7) == '' | substring"
            })
    void reportsConditionsThatItCannotEvaluate(String expression, String why) {
        assertThatThrownBy(() -> condition(expression))
                .isInstanceOf(CommandException.class)
                .hasMessageStartingWith("the matchCondition 'c' cannot be evaluated: ")
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{rules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*']}]} | true",
                "{rules: [{apiGroups: [''], apiVersions: [v1], resources: ['pods/*'], operations: [CREATE]}]} | true",
                "{rules: [{apiGroups: [''], apiVersions: [v1], resources: ['*/*'], operations: [CREATE]}]} | true",
                "{rules: [{apiGroups: [''], apiVersions: [v1], resources: ['pods/exec'], operations: [CREATE]}]} | false",
                "{rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [DELETE]}]} | false",
                "{rules: [{apiGroups: [apps], apiVersions: [v1], resources: [pods], operations: [CREATE]}]} | false",
                "{rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: ['*'], scope: Cluster}]} | false",
                "{rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: ['*'], scope: Namespaced}]} | true",
                "{objectSelector: {matchLabels: {app: web}}} | true",
                "{objectSelector: {matchLabels: {app: db}}} | false",
                "{objectSelector: {matchExpressions: [{key: app, operator: NotIn, values: [db]}]}} | true",
                "{objectSelector: {matchExpressions: [{key: tier, operator: DoesNotExist}]}} | true",
                "{namespaceSelector: {matchLabels: {team: a}}} | true",
                "{namespaceSelector: {matchExpressions: [{key: team, operator: In, values: [b]}]}} | false",
                "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: default}}} | true",
                "{namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: other}}} | false",
            })
    void followsRulesAndSelectors(String spec, boolean isAsked) {
        assertThat(skipped(spec, POD).isEmpty()).isEqualTo(isAsked);
    }

    @Test
    void ignoresNamespaceSelectorsForClusterScopedObjects() {
        var role = YamlDocuments.parse(
                "{operation: CREATE, resource: {group: rbac.authorization.k8s.io, version: v1, resource: clusterroles}}");

        assertThat(skipped("{namespaceSelector: {matchLabels: {team: b}}}", role))
                .isEmpty();
    }

    @Test
    void limitsNamespacedPoliciesToTheirNamespace() {
        var policy = YamlDocuments.parse("{kind: AdmissionPolicy, metadata: {name: p, namespace: other}, spec: {}}");

        assertThat(MatchCheck.of(policy).reasonToSkip(POD, Map.of()))
                .hasValue("the policy is asked only in its own namespace, other");
    }

    /** The API server sets the namespace of a request about a namespace object to the name of the object. */
    @Test
    void neverMatchesNamespacedPoliciesForNamespaceObjects() {
        var policy = YamlDocuments.parse("{kind: AdmissionPolicy, metadata: {name: p, namespace: other}, spec: {}}");
        var request = YamlDocuments.parse(
                "{operation: UPDATE, namespace: other, resource: {group: '', version: v1, resource: namespaces}}");

        assertThat(MatchCheck.of(policy).reasonToSkip(request, Map.of()))
                .hasValue("the policy is asked only in its own namespace, other");
    }

    @Test
    void neverMatchesWebhookConfigurations() {
        var request = YamlDocuments.parse(
                "{operation: CREATE, resource: {group: admissionregistration.k8s.io, version: v1, resource: validatingwebhookconfigurations}}");

        assertThat(skipped("{}", request))
                .hasValue("an API server asks no policy about resources of admissionregistration.k8s.io");
    }

    @Test
    void skipsWhenTheFailurePolicyIgnoresAnError() {
        var spec = "{failurePolicy: Ignore, matchConditions: [{name: c, expression: \"%s\"}]}";

        assertThat(skipped(spec.formatted("object.nothing.there == 1"), POD))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .startsWith("failurePolicy is Ignore, and the matchCondition 'c' cannot be evaluated: "));
        assertThatThrownBy(() -> skipped(spec.formatted("quantity('1Gi') == quantity('1Gi')"), POD))
                .as("the API server may be able to evaluate it")
                .isInstanceOf(CommandException.class);
    }

    @Test
    void rejectsInvalidRulesAndSelectors() {
        assertThatThrownBy(() -> skipped("{rules: [{resources: pods}]}", POD))
                .isInstanceOf(CommandException.class)
                .hasMessage("policy 'p': spec.rules[0] has a value of the wrong type");
    }
}
