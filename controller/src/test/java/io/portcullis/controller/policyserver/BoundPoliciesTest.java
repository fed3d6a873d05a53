package io.portcullis.controller.policyserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Reason;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionSpec.PolicyReference;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.controller.policyserver.BoundPolicies.Hook;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The policies, webhooks and revisions that belong to a server, and the state that they require from it. */
class BoundPoliciesTest {

    private static final String NAMESPACE = "kubewarden";

    private static ClusterAdmissionPolicy policy(String name, String spec) {
        return Serialization.unmarshal("""
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: %s, uid: "uid-%s", generation: 2}
                spec: %s
                """.formatted(name, name, spec), ClusterAdmissionPolicy.class);
    }

    private static PolicyRevision revision(
            String policy, String server, long generation, boolean active, Map<String, String> annotations) {
        var revision = new PolicyRevision();
        revision.getMetadata().setName(policy + "-" + generation);
        revision.getMetadata().setLabels(Map.of(RevisionNames.POLICY_SERVER, server));
        revision.getMetadata().setAnnotations(annotations);
        revision.setSpec(new PolicyRevisionSpec(
                new PolicyReference(
                        "policies.kubewarden.io/v1", "ClusterAdmissionPolicy", null, policy, "uid-" + policy),
                generation,
                "kw.cap." + policy,
                true,
                active,
                JsonNodeFactory.instance.objectNode(),
                "",
                List.of(),
                null));
        return revision;
    }

    private static Hook hook(String policy, String... servers) {
        return new Hook(policy, "configuration of " + policy, new TreeSet<>(Arrays.asList(servers)));
    }

    private static BoundPolicies bound(Stream<Policy> policies, Stream<Hook> hooks, Stream<PolicyRevision> revisions) {
        return BoundPolicies.of("a", policies, hooks, revisions);
    }

    @Test
    void bindsAPolicyToItsServerOrToTheDefaultServer() {
        var named = policy("named", "{policyServer: a}");
        var withoutServer = policy("silent", "{}");
        var unscheduled = policy("unscheduled", "{policyServer: \"\"}");

        assertThat(bound(Stream.of(named, withoutServer, unscheduled), Stream.of(), Stream.of())
                        .policies())
                .containsExactly(named);
        assertThat(BoundPolicies.of("default", Stream.of(named, withoutServer, unscheduled), Stream.of(), Stream.of())
                        .policies())
                .containsExactly(withoutServer);
    }

    @Test
    void countsWebhooksForTheirTargetServerAndForTheServerOfTheirPolicy() {
        var bound = bound(
                Stream.of(policy("mine", "{policyServer: a}"), policy("moved-away", "{policyServer: b}")),
                Stream.of(hook("mine", "b"), hook("moved-away", "a"), hook("other", "b")),
                Stream.of());

        assertThat(bound.withWebhook()).containsExactly("mine", "moved-away");
    }

    @ParameterizedTest
    @CsvSource({
        "kubewarden, policy-server-a, a",
        "kubewarden, policy-server-,  ''",
        "kubewarden, something-else,  ''",
        "elsewhere,  policy-server-a, ''",
    })
    void findsTheServerOfAWebhookByItsService(String namespace, String service, String server) {
        assertThat(Hook.of(webhook(namespace, service), NAMESPACE).servers())
                .containsExactlyElementsOf(server.isEmpty() ? List.of() : List.of(server));
    }

    private static ValidatingWebhookConfiguration webhook(String namespace, String service) {
        return new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName("kw.cap.p")
                .endMetadata()
                .addNewWebhook()
                .withNewClientConfig()
                .withNewService(service, namespace, "/validate/kw.cap.p/1", 443)
                .endClientConfig()
                .endWebhook()
                .build();
    }

    @Test
    void usesTheNameOfAWebhookWithoutAnnotationsAsTitle() {
        var stripped = Hook.of(webhook(NAMESPACE, "policy-server-a"), NAMESPACE);

        assertThat(stripped.title()).isEqualTo("kw.cap.p");
    }

    @Test
    void annotationsNameThePolicyAndTheServer() {
        var hook = Hook.of(
                new MutatingWebhookConfigurationBuilder()
                        .withNewMetadata()
                        .withName("kw.ap.ns.p")
                        .addToAnnotations("kubewardenPolicyName", "p")
                        .addToAnnotations("kubewardenPolicyNamespace", "ns")
                        .addToAnnotations("kubewarden.io/policy-server", "b")
                        .endMetadata()
                        .build(),
                NAMESPACE);

        assertThat(hook.title()).isEqualTo("ns/p");
        assertThat(hook.servers()).containsExactly("b");
    }

    @Test
    void anActiveRevisionWithoutADrainTimeCountsAsAWebhook() {
        var active = revision("p", "a", 1, true, Map.of());
        var draining = revision("q", "a", 1, true, Map.of(RevisionNames.DISABLE_AFTER, "2026-01-01T00:00:30Z"));
        var ofAnother = revision("r", "b", 1, true, Map.of());

        var bound = bound(Stream.of(), Stream.of(), Stream.of(active, draining, ofAnother));

        assertThat(bound.withWebhook()).containsExactly("p");
        assertThat(bound.latestDrain()).contains(Instant.parse("2026-01-01T00:00:30Z"));
    }

    @Test
    void ignoresUnreadableDrainTimes() {
        var unreadable = revision("p", "a", 1, true, Map.of(RevisionNames.DISABLE_AFTER, "soon"));

        assertThat(bound(Stream.of(), Stream.of(), Stream.of(unreadable)).latestDrain())
                .isEmpty();
    }

    @Test
    void usesTheLatestDrainTime() {
        var bound = bound(
                Stream.of(),
                Stream.of(),
                Stream.of(
                        revision("p", "a", 1, false, Map.of(RevisionNames.DELETE_AFTER, "2026-01-01T00:01:00Z")),
                        revision("p", "a", 2, false, Map.of(RevisionNames.DISABLE_AFTER, "2026-01-01T00:00:30Z"))));

        assertThat(bound.latestDrain()).contains(Instant.parse("2026-01-01T00:01:00Z"));
    }

    @Test
    void everyReplicaMustLoadTheLatestGenerationOfPoliciesWithAWebhook() {
        var loaded = revision("loaded", "a", 2, false, Map.of());
        loaded.setStatus(status(ready(2, 0), ready(2, 1)));
        var half = revision("half", "a", 2, false, Map.of());
        half.setStatus(status(ready(2, 0)));
        var outdated = revision("outdated", "a", 1, false, Map.of());
        outdated.setStatus(status(ready(1, 0), ready(1, 1)));

        var bound = bound(
                Stream.of("loaded", "half", "outdated", "unregistered").map(name -> policy(name, "{policyServer: a}")),
                Stream.of(hook("loaded", "a"), hook("half", "a"), hook("outdated", "a")),
                Stream.of(loaded, half, outdated));

        assertThat(bound.notLoaded(2)).containsExactly("half", "outdated");
        assertThat(bound.notLoaded(1)).containsExactly("outdated");
    }

    private static PolicyRevisionStatus status(Condition... conditions) {
        return new PolicyRevisionStatus(List.of(conditions), List.of(), null, null, null, null, null);
    }

    private static Condition ready(long generation, int replica) {
        return Condition.ofReplica(generation, replica, Reason.POLICY_READY.status(), Reason.POLICY_READY, "loaded");
    }

    @Test
    void namesNamespacedPoliciesWithTheirNamespace() {
        var policy = Serialization.unmarshal("""
                apiVersion: policies.kubewarden.io/v1
                kind: AdmissionPolicy
                metadata: {name: p, namespace: ns, uid: u, generation: 1}
                spec: {policyServer: a}
                """, AdmissionPolicy.class);

        assertThat(bound(Stream.of(policy), Stream.of(hook("ns/p", "a")), Stream.of())
                        .notLoaded(1))
                .containsExactly("ns/p");
    }
}
