package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MatchCondition;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.core.webhook.WebhookNames;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A webhook configuration in the API server. The target comes from the client config, not from annotations.
 *
 * @param policyUid the owner by annotation; empty when the annotations were removed
 * @param service the target service, if the target is a service
 */
record RegisteredWebhook(
        String kind, String name, Optional<String> policyUid, Optional<ServiceReference> service, Matching matching) {

    /** The requests that the webhook matches. */
    record Matching(
            List<RuleWithOperations> rules,
            LabelSelector namespaceSelector,
            LabelSelector objectSelector,
            List<MatchCondition> matchConditions) {

        static Matching of(
                @Nullable List<RuleWithOperations> rules,
                @Nullable LabelSelector namespaces,
                @Nullable LabelSelector objects,
                @Nullable List<MatchCondition> conditions) {
            return new Matching(
                    Objects.requireNonNullElse(rules, List.of()),
                    Objects.requireNonNullElseGet(namespaces, LabelSelector::new),
                    Objects.requireNonNullElseGet(objects, LabelSelector::new),
                    Objects.requireNonNullElse(conditions, List.of()));
        }
    }

    /** Reads a configuration. Each of our configurations has one entry; ignores a configuration without entries. */
    static Stream<RegisteredWebhook> of(ValidatingWebhookConfiguration configuration) {
        return configuration.getWebhooks().stream()
                .limit(1)
                .map(entry -> of(configuration.getKind(), configuration.getMetadata(), entry));
    }

    static Stream<RegisteredWebhook> of(MutatingWebhookConfiguration configuration) {
        return configuration.getWebhooks().stream()
                .limit(1)
                .map(entry -> of(configuration.getKind(), configuration.getMetadata(), entry));
    }

    private static RegisteredWebhook of(String kind, ObjectMeta metadata, ValidatingWebhook entry) {
        var matching = Matching.of(
                entry.getRules(), entry.getNamespaceSelector(), entry.getObjectSelector(), entry.getMatchConditions());
        return of(kind, metadata, entry.getClientConfig(), matching);
    }

    private static RegisteredWebhook of(String kind, ObjectMeta metadata, MutatingWebhook entry) {
        var matching = Matching.of(
                entry.getRules(), entry.getNamespaceSelector(), entry.getObjectSelector(), entry.getMatchConditions());
        return of(kind, metadata, entry.getClientConfig(), matching);
    }

    private static RegisteredWebhook of(
            String kind, ObjectMeta metadata, @Nullable WebhookClientConfig client, Matching matching) {
        var annotations = Objects.requireNonNullElse(metadata.getAnnotations(), Map.<String, String>of());
        return new RegisteredWebhook(
                kind,
                metadata.getName(),
                Optional.ofNullable(annotations.get(WebhookNames.POLICY_UID)),
                Optional.ofNullable(client).map(WebhookClientConfig::getService),
                matching);
    }

    /** Returns the generation that receives the requests; 0 when the path contains none. */
    long generation() {
        return WebhookNames.generation(service.map(ServiceReference::getPath).orElse(null));
    }

    /** Returns the PolicyServer that receives the requests; empty when the target is not a PolicyServer. */
    String policyServer() {
        return service.map(ServiceReference::getName)
                .flatMap(PolicyServerNames::policyServer)
                .orElse("");
    }

    /** Returns the namespace of the policy servers and revisions. */
    Optional<String> serviceNamespace() {
        return service.map(ServiceReference::getNamespace);
    }

    boolean belongsTo(Policy policy) {
        return policyUid
                .map(uid -> uid.equals(policy.getMetadata().getUid()))
                .orElseGet(() -> Stream.of(IdentityScheme.values())
                        .anyMatch(scheme -> scheme.policyId(policy.ref()).equals(name)));
    }
}
