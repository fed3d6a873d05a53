package io.portcullis.controller.admission.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WebhookDryRunTest {

    private static ClusterAdmissionPolicy policy(String field) {
        return Serialization.unmarshal("""
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: p}
                spec:
                  module: registry://registry.example.com/p:v1
                  rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
                  %s
                """.formatted(field), ClusterAdmissionPolicy.class);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "settings: {a: 1}          | true",
                "message: other            | true",
                "mutating: true            | false",
                "timeoutSeconds: 3         | false",
                "failurePolicy: Ignore     | false",
                "matchPolicy: Exact        | false",
                "objectSelector: {matchLabels: {a: b}} | false",
                "matchConditions: [{name: a, expression: 'true'}] | false"
            })
    void triesAWebhookAgainOnlyWhenItChanges(String change, boolean isSame) {
        try (var client = new KubernetesClientBuilder().build()) {
            var trial = new WebhookDryRun(new ClusterFacts(client, "kubewarden"), IdentityScheme.DOTTED);

            assertThat(trial.hasSameWebhook(policy(change), policy("mutating: false")))
                    .isEqualTo(isSame);
        }
    }
}
