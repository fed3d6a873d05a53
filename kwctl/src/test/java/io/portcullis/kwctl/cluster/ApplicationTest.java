package io.portcullis.kwctl.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.api.policy.Policy;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cluster.Application.TargetNamespace;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApplicationTest {

    private static final String PODS =
            "rules: [{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: [CREATE]}]";
    private static final TargetNamespace TEAM_A =
            new TargetNamespace("team-a", Map.of("kubernetes.io/metadata.name", "team-a", "tier", "gold"));

    private static Policy policy(String kind, String namespace, String spec) {
        return Samples.policy("{kind: %s, metadata: {namespace: '%s', name: x, generation: 1, uid: u1}, spec: {%s}}"
                .formatted(kind, namespace, spec));
    }

    private static Optional<Application> apply(Policy policy) {
        return Application.of(policy, Optional.empty(), TEAM_A, RequestFilter.EVERYTHING);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                                     | true",
                "{matchLabels: {tier: gold}}                                            | true",
                "{matchLabels: {tier: silver}}                                          | false",
                "{matchExpressions: [{key: kubernetes.io/metadata.name, operator: NotIn, values: [team-a]}]} | false",
                "{matchExpressions: [{key: opted-out, operator: DoesNotExist}]}         | true",
                "{matchExpressions: [{key: opted-in, operator: Exists}]}                | false",
            })
    void selectsByTheLabelsOfTheNamespace(String selector, boolean applies) {
        var policy = policy("ClusterAdmissionPolicy", "", PODS + ", namespaceSelector: " + selector);

        assertThat(apply(policy).isPresent()).isEqualTo(applies);
    }

    @Test
    void aNamespacedPolicyAppliesToItsOwnNamespaceOnly() {
        assertThat(apply(policy("AdmissionPolicy", "team-a", PODS))).isPresent();
        assertThat(apply(policy("AdmissionPolicy", "team-b", PODS))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "pods, pods, true",
        "pods/*, pods, true",
        "pods/*, pods/exec, true",
        "pods, pods/exec, false",
        "'*', pods, true",
        "'*', pods/exec, false",
        "'*/*', pods/exec, true",
        "'*/scale', deployments/scale, true",
        "services, pods, false",
    })
    void comparesResourcesAsTheApiServerDoes(String pattern, String resource, boolean matches) {
        var policy = policy(
                "ClusterAdmissionPolicy",
                "",
                "rules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['%s'], operations: ['*']}]"
                        .formatted(pattern));
        var filter = RequestFilter.of(Optional.of(resource), Optional.of("UPDATE"));

        assertThat(Application.of(policy, Optional.empty(), TEAM_A, filter).isPresent())
                .isEqualTo(matches);
    }

    @Test
    void comparesGroupsAndOperations() {
        var policy = policy("ClusterAdmissionPolicy", "", PODS);

        assertThat(Application.of(policy, Optional.empty(), TEAM_A, filter("pods", "DELETE")))
                .isEmpty();
        assertThat(Application.of(policy, Optional.empty(), TEAM_A, filter("pods", "CREATE")))
                .isPresent();
        assertThat(Application.of(policy, Optional.empty(), TEAM_A, filter("pods.metrics.k8s.io", "CREATE")))
                .isEmpty();
    }

    private static RequestFilter filter(String resource, String operation) {
        return RequestFilter.of(Optional.of(resource), Optional.of(operation));
    }

    @Test
    void rulesForClusterScopedObjectsDoNotCount() {
        var policy = policy(
                "ClusterAdmissionPolicy",
                "",
                "rules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*'], scope: Cluster}]");

        assertThat(apply(policy)).isEmpty();
    }

    /** While an update fails, the API server uses the rules of the previous version. */
    @Test
    void prefersTheLiveWebhookOverThePolicy() {
        var policy = policy("ClusterAdmissionPolicy", "", PODS);
        var webhook = Samples.webhook(
                "kw.cap.x",
                1,
                "rules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments, deployments/scale], operations: [UPDATE]}]");

        var application = Application.of(policy, Optional.of(webhook), TEAM_A, RequestFilter.EVERYTHING);

        assertThat(application.orElseThrow().rules()).containsExactly("UPDATE deployments.apps,deployments.apps/scale");
        assertThat(application.get().basis()).isEqualTo(Application.Basis.WEBHOOK);
    }

    @Test
    void showsConditionsOnTheObject() {
        var policy = policy(
                "ClusterAdmissionPolicy",
                "",
                PODS
                        + ", objectSelector: {matchLabels: {app: db}, matchExpressions: [{key: env, operator: In, values: [a, b]}]}"
                        + ", matchConditions: [{name: not-kubelet, expression: 'true'}]");

        assertThat(ApplicationTable.text("team-a", List.of(apply(policy).orElseThrow()), 3))
                .isEqualTo("""
                KIND                    NAMESPACE  NAME  MODE     ENFORCED  REQUESTS     ONLY IF
                ClusterAdmissionPolicy  -          x     protect  -         CREATE pods  app=db; env in (a,b); matchCondition not-kubelet

                1 of 3 policies applies to these requests in namespace team-a.
                """);
        assertThat(ApplicationTable.document(List.of(apply(policy).orElseThrow())))
                .hasToString("""
                [{"kind":"ClusterAdmissionPolicy","name":"x","mode":"protect","enforced":false,"basis":"policy",\
                "requests":["CREATE pods"],"onlyIf":["app=db","env in (a,b)","matchCondition not-kubelet"]}]""");
    }

    @Test
    void reportsWhenNoPolicyApplies() {
        assertThat(ApplicationTable.text("team-a", List.of(), 3))
                .isEqualTo("0 of 3 policies apply to these requests in namespace team-a.\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Pods", "pods/", "pods/a/b", "*", "a b"})
    void rejectsTextThatIsNotAResource(String text) {
        assertThatThrownBy(() -> RequestFilter.of(Optional.of(text), Optional.empty()))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("is not a resource");
    }
}
