package io.portcullis.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.core.precedence.Loss;
import io.portcullis.core.precedence.PrecedenceScope;
import io.portcullis.testkit.golden.Golden;
import io.portcullis.testkit.sample.Samples;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DesiredWebhookTest {

    private static final Golden GOLDEN = new Golden(Path.of("src/test/resources/golden/webhooks"));

    private static final YAMLMapper YAML = YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private final DesiredRevision revisions = new DesiredRevision(IdentityScheme.DOTTED, "kubewarden");
    private final DesiredWebhook webhooks =
            new DesiredWebhook("kubewarden", Optional.of("uid-of-namespace"), "Q0E=", true);

    @ParameterizedTest
    @EnumSource(PolicyKind.class)
    void rendersEveryKind(PolicyKind kind) throws JsonProcessingException {
        var webhook = webhooks.of(revisions.of(Samples.sample(kind.type())));

        GOLDEN.matches(kind.wireName() + ".yaml", YAML.writeValueAsString(webhook));
    }

    /** Kubewarden drops matchLabels, so that the policy applies to all namespaces. */
    @Test
    void keepsLabelsAndExpressionsOfTheNamespaceSelector() {
        var policy = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        policy.getSpec().put("mutating", false);

        var selector = validating(policy).getWebhooks().getFirst().getNamespaceSelector();

        assertThat(selector.getMatchLabels()).isEqualTo(Map.of("team", "a"));
        assertThat(selector.getMatchExpressions())
                .extracting(requirement ->
                        requirement.getKey() + " " + requirement.getOperator() + " " + requirement.getValues())
                .containsExactly("kubernetes.io/metadata.name NotIn [kubewarden]", "env In [prod]");
    }

    @ParameterizedTest
    @EnumSource(
            value = PolicyKind.class,
            names = {"ADMISSION_POLICY_GROUP", "CLUSTER_ADMISSION_POLICY_GROUP"})
    void keepsTheMatchConditionsOfGroups(PolicyKind kind) {
        var group = Samples.sample(kind.type());
        group.getSpec()
                .putArray("matchConditions")
                .addObject()
                .put("name", "not-dry-run")
                .put("expression", "!request.dryRun");

        assertThat(validating(group).getWebhooks().getFirst().getMatchConditions())
                .extracting(condition -> condition.getName() + ": " + condition.getExpression())
                .contains("not-dry-run: !request.dryRun");
    }

    @Test
    void keepsTheSelectorWhenThePolicyIncludesTheServersNamespace() {
        var policy = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        policy.getSpec().put("mutating", false).put("allowInsideAdmissionControllerNamespace", true);

        var selector = validating(policy).getWebhooks().getFirst().getNamespaceSelector();

        assertThat(selector).isEqualTo(policy.read().match().namespaceSelector());
    }

    /** The API server accepts at most 64 match conditions. */
    @ParameterizedTest
    @CsvSource({"0, 1", "63, 64", "64, 64"})
    void exemptsThePlatformWithinTheLimitOfMatchConditions(int own, int all) {
        var policy = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        var conditions = policy.getSpec().put("mutating", false).putArray("matchConditions");
        for (int i = 0; i < own; i++) {
            conditions.addObject().put("name", "own-" + i).put("expression", "has(object.spec) || true");
        }

        var rendered = validating(policy).getWebhooks().getFirst().getMatchConditions();

        assertThat(rendered).hasSize(all);
        assertThat(rendered.getLast().getExpression())
                .isEqualTo(PlatformExemption.expression("kubewarden")
                        + (own == 64 ? " && (has(object.spec) || true)" : ""));
    }

    @Test
    void namespacedPolicyReceivesOnlyNamespacedObjectsOfItsNamespace() {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        ((ObjectNode) policy.getSpec().at("/rules/0")).put("scope", "*");

        var webhook = validating(policy).getWebhooks().getFirst();

        assertThat(webhook.getRules()).extracting("scope").containsExactly("Namespaced");
        assertThat(webhook.getNamespaceSelector().getMatchLabels())
                .isEqualTo(Map.of("kubernetes.io/metadata.name", "team-a"));
    }

    @Test
    void excludesLostNamespacesAndAnnotatesTheWebhook() {
        var policy = Samples.sample(PolicyKind.CLUSTER_ADMISSION_POLICY.type());
        var revision = revisions.of(policy);
        var boss = List.of(new PolicyRef(PolicyKind.ADMISSION_POLICY, "dev", "mine"));

        var whole = (MutatingWebhookConfiguration) webhooks.of(revision);
        var narrowed = (MutatingWebhookConfiguration)
                webhooks.of(revision, new Loss.Namespaces(boss, new TreeSet<>(List.of("dev", "acc")), false));

        assertThat(narrowed.getWebhooks().getFirst().getNamespaceSelector().getMatchExpressions())
                .extracting(requirement ->
                        requirement.getKey() + " " + requirement.getOperator() + " " + requirement.getValues())
                .containsExactly(
                        "kubernetes.io/metadata.name NotIn [kubewarden]",
                        "env In [prod]",
                        "kubernetes.io/metadata.name NotIn [acc, dev]");
        assertThat(narrowed.getMetadata().getAnnotations()).containsKey(WebhookNames.PRECEDENCE);
        assertThat(whole.getMetadata().getAnnotations()).doesNotContainKey(WebhookNames.PRECEDENCE);
        assertThat(webhooks.of(revision, new Loss.Nothing())).isEqualTo(whole);
        assertThat(webhooks.of(revision, new Loss.Everything(boss))).isEqualTo(whole);
    }

    @Test
    void removesLostRulesOfANamespacedPolicy() {
        var policy = Samples.sample(PolicyKind.ADMISSION_POLICY.type());
        var taker = policy.getSpec().deepCopy();
        ((ObjectNode) policy.getSpec().at("/rules/0"))
                .putArray("operations")
                .add("CREATE")
                .add("DELETE");
        var kind = PolicyKind.CLUSTER_ADMISSION_POLICY;
        var boss = PrecedenceScope.of(kind, PolicySpec.read(kind, taker).match());

        var narrowed = (ValidatingWebhookConfiguration)
                webhooks.of(revisions.of(policy), new Loss.Rules(List.of(), List.of(boss)));

        assertThat(narrowed.getWebhooks().getFirst().getRules())
                .flatExtracting(RuleWithOperations::getOperations)
                .containsExactly("DELETE");
        assertThat(narrowed.getMetadata().getAnnotations()).containsKey(WebhookNames.PRECEDENCE);
    }

    private ValidatingWebhookConfiguration validating(Policy policy) {
        return (ValidatingWebhookConfiguration) webhooks.of(revisions.of(policy));
    }
}
