package io.portcullis.audit.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.PolicyKind;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which policies are audited, and at which endpoint. */
class PolicyInventoryTest {

    private static final JsonMapper MAPPER = new JsonMapper();

    private static ObjectNode json(String text) {
        try {
            return (ObjectNode) MAPPER.readTree(text.replace('\'', '"'));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(text, e);
        }
    }

    private static PolicyInventory.Found policy(String spec) {
        return new PolicyInventory.Found(PolicyKind.CLUSTER_ADMISSION_POLICY, json("""
                        {'metadata': {'name': 'p', 'uid': 'u1', 'resourceVersion': '7', 'annotations': {
                           'io.kubewarden.policy.severity': 'High', 'io.kubewarden.policy.category': 'PSP'}},
                         'spec': %s}""".formatted(spec)));
    }

    private static Webhook webhook(String name, String annotations) {
        return Webhook.read(Webhook.Flavour.VALIDATING, json("""
                        {'metadata': {'name': '%s', 'annotations': %s}, 'webhooks': [{
                           'clientConfig': {'service': {'namespace': 'kubewarden', 'name': 'policy-server-x',
                                            'path': '/validate/%s/7', 'port': 8443}},
                           'rules': [{'apiGroups': [''], 'apiVersions': ['v1'], 'resources': ['pods'], 'operations': ['*']}],
                           'namespaceSelector': {'matchExpressions': [
                              {'key': 'kubernetes.io/metadata.name', 'operator': 'NotIn', 'values': ['kubewarden']}]}}]}
                        """.formatted(name, annotations, name)), Optional.empty());
    }

    private static PolicyInventory inventory(String spec, Webhook... webhooks) {
        var byName = new HashMap<String, Webhook>();
        for (var webhook : webhooks) {
            byName.put(webhook.name(), webhook);
        }
        return PolicyInventory.of(
                List.of(policy(spec)), byName, Map.of("kw.cap.p", "its webhook configuration is empty"));
    }

    @Test
    void auditsAnEnforcedPolicyAtItsWebhooksServer() {
        var audited = inventory("{'mode': 'monitor'}", webhook("kw.cap.p", "{'kubewarden.io/policy-uid': 'u1'}"))
                .audited()
                .getFirst();

        assertThat(audited.reportAttributes())
                .isEqualTo(new AuditedPolicy.ReportAttributes("u1", "7", "PSP", "high", true, false));
        assertThat(audited.webhook().endpoint().uri())
                .hasToString("https://policy-server-x.kubewarden.svc:8443/audit/kw.cap.p/7");
        assertThat(audited.webhook().endpoint().generation()).isEqualTo(7);
        assertThat(audited.appliesToNamespace("kubewarden", Map.of("kubernetes.io/metadata.name", "kubewarden")))
                .isFalse();
        assertThat(audited.appliesToNamespace("a", Map.of("kubernetes.io/metadata.name", "a")))
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ADMISSION_POLICY_GROUP; kw.apg.a.p; [{'apiVersion': 'v1', 'kind': 'ConfigMap'}]; true",
                "ADMISSION_POLICY_GROUP; kw.apg.a.p; []; false",
                "CLUSTER_ADMISSION_POLICY_GROUP; kw.capg.p; [{'apiVersion': 'v1', 'kind': 'ConfigMap'}]; true"
            })
    void marksGroupsWhoseMembersReadTheCluster(PolicyKind kind, String id, String resources, boolean isContextAware) {
        var group = new PolicyInventory.Found(kind, json("""
                        {'metadata': {'name': 'p', 'namespace': 'a', 'uid': 'u1'}, 'spec': {'policies': {
                           'm': {'module': 'x', 'contextAwareResources': %s}}}}""".formatted(resources)));

        var inventory = PolicyInventory.of(
                List.of(group), Map.of(id, webhook(id, "{'kubewarden.io/policy-uid': 'u1'}")), Map.of());

        assertThat(inventory.audited().getFirst().reportAttributes().isContextAware())
                .isEqualTo(isContextAware);
    }

    @Test
    void findsWebhooksWithLegacyNames() {
        assertThat(inventory("{}", webhook("clusterwide-p", "{'kubewardenPolicyName': 'p'}"))
                        .audited())
                .extracting(AuditedPolicy::id)
                .containsExactly("clusterwide-p");
    }

    @Test
    void ignoresAWebhookOfAnotherPolicy() {
        var inventory = PolicyInventory.of(
                List.of(policy("{}")),
                Map.of("kw.cap.p", webhook("kw.cap.p", "{'kubewarden.io/policy-uid': 'other'}")),
                Map.of());

        assertThat(inventory.audited()).isEmpty();
        assertThat(inventory.skipped())
                .extracting(PolicyInventory.LeftOut::reason)
                .containsExactly("it is not enforced: it has no webhook configuration");
    }

    @Test
    void reportsAnInvalidPolicyAsAnError() {
        assertThat(inventory("{'rules': 'none'}").errored()).hasSize(1);
        assertThat(inventory("{}").errored())
                .extracting(PolicyInventory.LeftOut::reason)
                .containsExactly("its webhook configuration is empty");
        assertThat(inventory("{'backgroundAudit': false}", webhook("kw.cap.p", "{}"))
                        .skipped())
                .extracting(PolicyInventory.LeftOut::reason)
                .containsExactly("backgroundAudit is false");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "ADMISSION_POLICY_GROUP; kw.apg.a.p; {}; true",
                "ADMISSION_POLICY_GROUP; kw.apg.a.p; {'backgroundAudit': true}; true",
                "ADMISSION_POLICY_GROUP; kw.apg.a.p; {'backgroundAudit': false}; false",
                "CLUSTER_ADMISSION_POLICY_GROUP; kw.capg.p; {'backgroundAudit': true}; true",
                "CLUSTER_ADMISSION_POLICY_GROUP; kw.capg.p; {'backgroundAudit': false}; false"
            })
    void backgroundAuditDecidesWhetherAGroupIsAudited(PolicyKind kind, String id, String spec, boolean isAudited) {
        var group = new PolicyInventory.Found(
                kind, json("{'metadata': {'name': 'p', 'namespace': 'a', 'uid': 'u1'}, 'spec': %s}".formatted(spec)));

        var inventory = PolicyInventory.of(
                List.of(group), Map.of(id, webhook(id, "{'kubewarden.io/policy-uid': 'u1'}")), Map.of());

        assertThat(inventory.audited()).hasSize(isAudited ? 1 : 0);
        assertThat(inventory.skipped())
                .extracting(PolicyInventory.LeftOut::reason)
                .containsExactlyElementsOf(isAudited ? List.of() : List.of("backgroundAudit is false"));
        assertThat(inventory.errored()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "https://10.0.0.1:3000/validate/p      | ''                    | https://10.0.0.1:3000/audit/p    | 0",
                "https://10.0.0.1:3000/validate/p/12   | ''                    | https://10.0.0.1:3000/audit/p/12 | 12",
                "https://10.0.0.1:3000/validate/p/12   | http://localhost:1/    | http://localhost:1/audit/p/12    | 12",
            })
    void derivesTheAuditAddressFromTheWebhook(String url, String server, String expected, long generation) {
        var config = json("{'url': '" + url + "'}");
        var endpoint = Webhook.read(
                        Webhook.Flavour.MUTATING,
                        json("{'metadata': {'name': 'p'}, 'webhooks': [{'clientConfig': " + config + "}]}"),
                        Optional.of(server).filter(text -> !text.isEmpty()).map(URI::create))
                .endpoint();

        assertThat(endpoint.uri()).hasToString(expected);
        assertThat(endpoint.generation()).isEqualTo(generation);
    }

    @ParameterizedTest
    @CsvSource({"https://h/convert", "''", "https://h", "not a url"})
    void rejectsWebhooksThatCallNoPolicy(String url) {
        var broken = json("{'metadata': {'name': 'p'}, 'webhooks': [{'clientConfig': {'url': '" + url + "'}}]}");

        assertThatThrownBy(() -> Webhook.read(Webhook.Flavour.VALIDATING, broken, Optional.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
