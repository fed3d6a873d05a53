package io.portcullis.core.webhook;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirement;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.core.precedence.Loss;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * Renders the webhook configuration that sends a policy's requests to one of its revisions. It depends only on the revision.
 * While a newer generation fails, rules and selectors stay those of the served generation.
 *
 * @param namespace namespace of the policy servers
 * @param namespaceUid UID of that namespace, which owns the configuration, so that Kubernetes deletes both together
 * @param caBundle certificate authorities of the policy servers, in base64
 * @param supportsMatchConditions whether the API server supports match conditions; otherwise policies also evaluate
 *     requests of the platform
 */
public record DesiredWebhook(
        String namespace, Optional<String> namespaceUid, String caBundle, boolean supportsMatchConditions) {

    private static final List<String> REVIEW_VERSIONS = List.of("v1");

    /** Returns a MutatingWebhookConfiguration or a ValidatingWebhookConfiguration with exactly one entry. */
    public HasMetadata of(PolicyRevision revision) {
        return of(revision, new Loss.Nothing());
    }

    /** Returns the configuration without the requests that the policy loses by precedence. */
    public HasMetadata of(PolicyRevision revision, Loss loss) {
        var frozen = revision.getSpec();
        var kind = PolicyKind.parse(frozen.objectReference().kind())
                .orElseThrow(() -> new IllegalArgumentException("revision "
                        + revision.getMetadata().getName() + " is of unknown kind "
                        + frozen.objectReference().kind()));
        var spec = PolicySpec.read(kind, frozen.policySpec());
        var whole = spec.isMutating() ? mutating(revision, kind, spec) : validating(revision, kind, spec);
        return NarrowedWebhook.of(whole, kind, spec.match(), loss);
    }

    private HasMetadata validating(PolicyRevision revision, PolicyKind kind, PolicySpec spec) {
        return new ValidatingWebhookConfigurationBuilder()
                .withMetadata(metadata(revision))
                .withWebhooks(new ValidatingWebhookBuilder()
                        .withName(entryName(revision))
                        .withClientConfig(clientConfig(revision))
                        .withRules(rules(kind, spec.match()))
                        .withFailurePolicy(spec.call().failurePolicy())
                        .withMatchPolicy(spec.match().matchPolicy())
                        .withMatchConditions(matchConditions(spec))
                        .withObjectSelector(spec.match().objectSelector())
                        .withNamespaceSelector(namespaceSelector(revision, kind, spec.match()))
                        .withSideEffects(sideEffects(spec))
                        .withTimeoutSeconds(spec.call().effectiveTimeoutSeconds())
                        .withAdmissionReviewVersions(REVIEW_VERSIONS)
                        .build())
                .build();
    }

    private HasMetadata mutating(PolicyRevision revision, PolicyKind kind, PolicySpec spec) {
        return new MutatingWebhookConfigurationBuilder()
                .withMetadata(metadata(revision))
                .withWebhooks(new MutatingWebhookBuilder()
                        .withName(entryName(revision))
                        .withClientConfig(clientConfig(revision))
                        .withRules(rules(kind, spec.match()))
                        .withFailurePolicy(spec.call().failurePolicy())
                        .withMatchPolicy(spec.match().matchPolicy())
                        .withMatchConditions(matchConditions(spec))
                        .withObjectSelector(spec.match().objectSelector())
                        .withNamespaceSelector(namespaceSelector(revision, kind, spec.match()))
                        .withSideEffects(sideEffects(spec))
                        .withTimeoutSeconds(spec.call().effectiveTimeoutSeconds())
                        .withAdmissionReviewVersions(REVIEW_VERSIONS)
                        .build())
                .build();
    }

    private List<MatchCondition> matchConditions(PolicySpec spec) {
        var own = spec.match().matchConditions();
        return supportsMatchConditions ? PlatformExemption.added(own, namespace) : own;
    }

    private ObjectMeta metadata(PolicyRevision revision) {
        var policy = revision.getSpec().objectReference();
        return new ObjectMetaBuilder()
                .withName(revision.getSpec().policyID())
                .withLabels(Map.of(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE))
                .withAnnotations(Map.of(
                        WebhookNames.POLICY_NAME,
                        policy.name(),
                        WebhookNames.POLICY_NAMESPACE,
                        Objects.requireNonNullElse(policy.namespace(), ""),
                        WebhookNames.POLICY_UID,
                        policy.uid(),
                        WebhookNames.POLICY_GENERATION,
                        Long.toString(revision.getSpec().policyGeneration()),
                        WebhookNames.POLICY_SERVER,
                        revision.policyServer()))
                .withOwnerReferences(
                        namespaceUid.stream().map(uid -> owner(namespace, uid)).toList())
                .build();
    }

    /** Returns the owner reference to the namespace. Without the namespace no server can answer the webhook. */
    public static OwnerReference owner(String namespace, String uid) {
        return new OwnerReferenceBuilder()
                .withApiVersion("v1")
                .withKind("Namespace")
                .withName(namespace)
                .withUid(uid)
                .build();
    }

    private static String entryName(PolicyRevision revision) {
        return revision.getSpec().policyID() + WebhookNames.ENTRY_SUFFIX;
    }

    private WebhookClientConfig clientConfig(PolicyRevision revision) {
        return new WebhookClientConfigBuilder()
                .withCaBundle(caBundle)
                .withNewService()
                .withNamespace(namespace)
                .withName(PolicyServerNames.service(revision.policyServer()))
                .withPort(PolicyServerNames.SERVICE_PORT)
                .withPath(WebhookNames.path(
                        revision.getSpec().policyID(), revision.getSpec().policyGeneration()))
                .endService()
                .build();
    }

    /** Returns the rules. A namespaced policy never receives cluster-scoped objects. */
    private static List<RuleWithOperations> rules(PolicyKind kind, PolicySpec.Match match) {
        return kind.isNamespaced()
                ? match.rules().stream()
                        .map(rule -> new RuleWithOperationsBuilder(rule)
                                .withScope("Namespaced")
                                .build())
                        .toList()
                : match.rules();
    }

    private static String sideEffects(PolicySpec spec) {
        return Objects.requireNonNullElse(spec.call().sideEffects(), "None");
    }

    /**
     * Returns the namespace selector. A namespaced policy matches its own namespace. A cluster-wide policy uses its own
     * selector, without the namespace of the policy servers unless the spec includes it. Otherwise a policy could block the
     * pods that serve it.
     */
    private LabelSelector namespaceSelector(PolicyRevision revision, PolicyKind kind, PolicySpec.Match match) {
        if (kind.isNamespaced()) {
            var own = Objects.requireNonNullElse(
                    revision.getSpec().objectReference().namespace(), "");
            return new LabelSelectorBuilder()
                    .withMatchLabels(Map.of(WebhookNames.NAMESPACE_NAME, own))
                    .build();
        }
        var selector = Objects.requireNonNullElseGet(match.namespaceSelector(), LabelSelector::new);
        if (match.allowInsideAdmissionControllerNamespace()) {
            return selector;
        }
        List<LabelSelectorRequirement> requirements = new ArrayList<>();
        requirements.add(new LabelSelectorRequirementBuilder()
                .withKey(WebhookNames.NAMESPACE_NAME)
                .withOperator("NotIn")
                .withValues(namespace)
                .build());
        requirements.addAll(selector.getMatchExpressions());
        return new LabelSelectorBuilder()
                .withMatchExpressions(requirements)
                .withMatchLabels(new HashMap<>(selector.getMatchLabels()))
                .build();
    }
}
