package io.portcullis.matching;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.matching.RequestMatcher.Mismatch;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests rules and selectors against the answers of an API server. */
class RequestMatcherTest {

    private static final String ANY_RULE =
            "rules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*']}]";

    private static Optional<Mismatch> mismatch(String webhook, String request, Map<String, String> namespaceLabels) {
        return RequestMatcher.read(yaml(webhook)).mismatch(AdmissionAttributes.of(yaml(request)), namespaceLabels);
    }

    private static JsonNode yaml(String text) {
        return YamlDocuments.parse(text);
    }

    private static boolean matchesRule(String rule, String request) {
        return mismatch("{rules: [" + rule + "]}", request, Map.of()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "''   | pods      | CREATE        | '*'  | '*'        | '*'    | true",
                "''   | pods      | CREATE        | ''   | pods       | CREATE | true",
                "''   | pods      | CREATE        | apps | pods       | CREATE | false",
                "''   | pods      | CREATE        | ''   | pods       | DELETE | false",
                "''   | pods      | CREATE        | ''   | pods/*     | CREATE | true",
                "''   | pods      | CREATE        | ''   | '*/*'      | CREATE | true",
                "''   | pods      | CREATE        | ''   | '*/exec'   | CREATE | false",
                "''   | pods      | CREATE        | ''   | pods/exec  | CREATE | false",
                "''   | pods/exec | CONNECT       | ''   | pods/exec  | '*'    | true",
                "''   | pods/exec | CONNECT       | ''   | '*/exec'   | '*'    | true",
                "''   | pods/exec | CONNECT       | ''   | pods/*     | '*'    | true",
                "''   | pods/exec | CONNECT       | ''   | '*/*'      | '*'    | true",
                "''   | pods/exec | CONNECT       | ''   | pods       | '*'    | false",
                "''   | pods/exec | CONNECT       | ''   | '*'        | '*'    | false",
                "apps | deployments/scale | UPDATE | '*' | '*/scale'  | UPDATE | true",
            })
    void followsGroupsResourcesAndOperations(
            String group,
            String resource,
            String operation,
            String groups,
            String resources,
            String operations,
            boolean matches) {
        var slash = resource.indexOf('/');
        var request = "{resource: {group: %s, version: v1, resource: %s}, subResource: %s, operation: %s, namespace: n}"
                .formatted(
                        group,
                        slash < 0 ? resource : resource.substring(0, slash),
                        slash < 0 ? "''" : resource.substring(slash + 1),
                        operation);

        assertThat(matchesRule(
                        "{apiGroups: [%s], apiVersions: [v1], resources: [%s], operations: [%s]}"
                                .formatted(groups, resources, operations),
                        request))
                .isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource({"v1,true", "v2,false", "'*',true"})
    void followsVersions(String version, boolean matches) {
        assertThat(matchesRule(
                        "{apiGroups: [''], apiVersions: ['%s'], resources: [pods], operations: [CREATE]}"
                                .formatted(version),
                        "{resource: {group: '', version: v1, resource: pods}, operation: CREATE, namespace: n}"))
                .isEqualTo(matches);
    }

    /** The API server sets the namespace of a request about a namespace object to the name of the object. */
    @ParameterizedTest
    @CsvSource({
        "pods, n, Namespaced, true",
        "pods, n, Cluster, false",
        "nodes, '', Namespaced, false",
        "nodes, '', Cluster, true",
        "namespaces, n, Namespaced, false",
        "namespaces, n, Cluster, true",
        "namespaces, n, '*', true",
        "pods, n, Elsewhere, false",
    })
    void followsScopes(String resource, String namespace, String scope, boolean matches) {
        assertThat(matchesRule(
                        "{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'], scope: '%s'}"
                                .formatted(scope),
                        "{resource: {group: '', version: v1, resource: %s}, operation: CREATE, namespace: '%s'}"
                                .formatted(resource, namespace)))
                .isEqualTo(matches);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{}                                                               | {}         | {}         | true",
                "{matchLabels: {app: web}}                                        | {app: web} | null       | true",
                "{matchLabels: {app: web}}                                        | {app: db}  | null       | false",
                "{matchLabels: {app: web}}                                        | {app: db}  | {app: web} | true",
                "{matchLabels: {app: web}}                                        | null       | {app: web} | true",
                "{matchExpressions: [{key: app, operator: In, values: [web]}]}    | {}         | null       | false",
                "{matchExpressions: [{key: app, operator: NotIn, values: [web]}]} | {}         | null       | true",
                "{matchExpressions: [{key: app, operator: NotIn, values: [web]}]} | {app: web} | null       | false",
                "{matchExpressions: [{key: app, operator: Exists}]}               | {app: ''}  | null       | true",
                "{matchExpressions: [{key: app, operator: DoesNotExist}]}         | {}         | null       | true",
                "{matchExpressions: [{key: app, operator: DoesNotExist}]}         | {app: ''}  | null       | false",
                // A selector selects an object, so that a request without objects does not match.
                "{matchExpressions: [{key: app, operator: DoesNotExist}]}         | null       | null       | false",
                "{}                                                               | null       | null       | true",
            })
    void followsObjectSelectors(String selector, String labels, String oldLabels, boolean matches) {
        assertThat(mismatch(
                        "{" + ANY_RULE + ", objectSelector: " + selector + "}",
                        "{resource: {group: '', version: v1, resource: pods}, operation: UPDATE, namespace: n, object: %s, oldObject: %s}"
                                .formatted(object(labels), object(oldLabels)),
                        Map.of()))
                .isEqualTo(matches ? Optional.empty() : Optional.of(Mismatch.OBJECT_SELECTOR));
    }

    private static String object(String labels) {
        return labels.equals("null") ? "null" : "{metadata: {name: o, labels: " + labels + "}}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "pods       | n  | null                                        | {matchLabels: {team: a}} | true",
                "pods       | n  | null                                        | {matchLabels: {team: b}} | false",
                "pods       | n  | null                                        | {matchLabels: {kubernetes.io/metadata.name: n}} | true",
                "nodes      | '' | null                                        | {matchLabels: {team: b}} | true",
                "namespaces | n  | {metadata: {name: n, labels: {team: b}}}    | {matchLabels: {team: b}} | true",
                "namespaces | n  | {metadata: {name: n, labels: {team: b}}}    | {matchLabels: {team: a}} | false",
                "namespaces | '' | {metadata: {name: n}}                       | {matchLabels: {kubernetes.io/metadata.name: n}} | true",
                "namespaces | n  | null                                        | {matchLabels: {team: a}} | true",
            })
    void followsNamespaceSelectors(String resource, String namespace, String object, String selector, boolean matches) {
        assertThat(mismatch(
                        "{" + ANY_RULE + ", namespaceSelector: " + selector + "}",
                        "{resource: {group: '', version: v1, resource: %s}, operation: CREATE, namespace: %s, object: %s}"
                                .formatted(resource, namespace, object),
                        Map.of("team", "a")))
                .isEqualTo(matches ? Optional.empty() : Optional.of(Mismatch.NAMESPACE_SELECTOR));
    }

    @Test
    void neverMatchesWebhookConfigurations() {
        assertThat(mismatch(
                        "{" + ANY_RULE + "}",
                        "{resource: {group: admissionregistration.k8s.io, version: v1, resource: validatingwebhookconfigurations}}",
                        Map.of()))
                .hasValue(Mismatch.EXEMPT_RESOURCE);
    }

    @Test
    void matchesNothingWithoutRules() {
        assertThat(mismatch("{}", "{resource: {group: '', version: v1, resource: pods}}", Map.of()))
                .hasValue(Mismatch.RULES);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "{rules: 5}                                                    | rules is not a list",
                "{rules: [5]}                                                  | rules[0] is not an object",
                "{rules: [{resources: pods}]}                                  | rules[0] has a value of the wrong type",
                "{objectSelector: [a]}                                         | objectSelector is not an object",
                "{objectSelector: {matchLabels: {a: null}}}                    | objectSelector has a value of the wrong type",
                "{namespaceSelector: {matchExpressions: [{key: a}]}}           | namespaceSelector.matchExpressions needs a key and one of the operators",
                "{namespaceSelector: {matchExpressions: [{operator: Exists}]}} | namespaceSelector.matchExpressions needs a key and one of the operators",
                "{matchConditions: [a]}                                        | matchConditions[0] is not an object",
            })
    void namesTheInvalidField(String webhook, String message) {
        assertThatThrownBy(() -> RequestMatcher.read(yaml(webhook)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @ParameterizedTest
    @CsvSource({"Ignore,IGNORE", "Fail,FAIL", "'',FAIL", "5,FAIL"})
    void readsTheFailurePolicy(String wireName, FailurePolicy failurePolicy) {
        assertThat(RequestMatcher.read(yaml("{failurePolicy: " + wireName + "}"))
                        .failurePolicy())
                .isEqualTo(failurePolicy);
    }

    @Test
    void takesNullAsAbsent() {
        var matcher = RequestMatcher.read(
                yaml(
                        "{rules: [{apiGroups: null, resources: null}], objectSelector: null, namespaceSelector: {matchLabels: null, matchExpressions: null}, matchConditions: null, failurePolicy: null}"));

        assertThat(matcher.failurePolicy()).isEqualTo(FailurePolicy.FAIL);
        assertThat(matcher.mismatch(
                        AdmissionAttributes.of(yaml("{resource: {group: '', version: v1, resource: pods}}")), Map.of()))
                .hasValue(Mismatch.RULES);
    }
}
