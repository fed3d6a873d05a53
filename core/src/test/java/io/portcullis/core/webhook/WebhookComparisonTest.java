package io.portcullis.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.core.status.Facts.Fidelity;
import io.portcullis.testkit.sample.Samples;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class WebhookComparisonTest {

    private final HasMetadata desired = render(PolicyKind.ADMISSION_POLICY);

    record Change(String name, Consumer<ObjectNode> change, Fidelity expected) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Change> changes() {
        return Stream.of(
                new Change("none", _ -> {}, new Fidelity.Exact()),
                new Change(
                        "defaults of the API server",
                        entry -> {
                            entry.put("failurePolicy", "Fail").put("matchPolicy", "Equivalent");
                            entry.putObject("objectSelector");
                        },
                        new Fidelity.Exact()),
                new Change(
                        "operation dropped",
                        entry -> ((ArrayNode) entry.at("/rules/0/operations")).removeAll(),
                        new Fidelity.Drifted("rules")),
                new Change(
                        "made to fail open",
                        entry -> entry.put("failurePolicy", "Ignore"),
                        new Fidelity.Drifted("failurePolicy")),
                new Change(
                        "selector narrowed",
                        entry -> entry.putObject("objectSelector")
                                .putObject("matchLabels")
                                .put("a", "b"),
                        new Fidelity.Drifted("objectSelector")),
                new Change("slower", entry -> entry.put("timeoutSeconds", 29), new Fidelity.Drifted("timeoutSeconds")),
                new Change(
                        "condition added",
                        entry -> entry.putArray("matchConditions")
                                .addObject()
                                .put("name", "never")
                                .put("expression", "false"),
                        new Fidelity.Drifted("matchConditions")),
                new Change(
                        "other generation",
                        entry -> ((ObjectNode) entry.at("/clientConfig/service")).put("path", "/validate/x/1"),
                        new Fidelity.Misrouted("clientConfig")),
                new Change(
                        "other certificate authority",
                        entry -> ((ObjectNode) entry.at("/clientConfig")).put("caBundle", "T1RIRVI="),
                        new Fidelity.Misrouted("clientConfig")));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void namesTheDifferences(Change row) {
        var live = Samples.JSON.<ObjectNode>valueToTree(desired);
        row.change().accept((ObjectNode) live.at("/webhooks/0"));

        assertThat(WebhookComparison.compare(desired, Samples.as(ValidatingWebhookConfiguration.class, live)))
                .isEqualTo(row.expected());
    }

    @Test
    void reportsAWebhookOfTheOtherKindAsMisrouted() {
        assertThat(WebhookComparison.compare(desired, new MutatingWebhookConfiguration()))
                .isEqualTo(new Fidelity.Misrouted("kind"));
    }

    @Test
    void reportsRemovedLabelsAndIgnoresForeignOnes() {
        var live = render(PolicyKind.ADMISSION_POLICY);
        live.getMetadata().setLabels(Map.of("app.kubernetes.io/part-of", "kubewarden", "theirs", "x"));
        assertThat(WebhookComparison.compare(desired, live)).isEqualTo(new Fidelity.Exact());

        live.getMetadata().setLabels(Map.of());
        assertThat(WebhookComparison.compare(desired, live)).isEqualTo(new Fidelity.Drifted("labels"));
    }

    private static HasMetadata render(PolicyKind kind) {
        var revision = new DesiredRevision(IdentityScheme.DOTTED, "kubewarden").of(Samples.sample(kind.type()));
        return new DesiredWebhook("kubewarden", Optional.of("uid-of-namespace"), "Q0E=", true).of(revision);
    }
}
