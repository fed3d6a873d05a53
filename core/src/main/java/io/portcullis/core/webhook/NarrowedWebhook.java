package io.portcullis.core.webhook;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.LabelSelectorBuilder;
import io.fabric8.kubernetes.api.model.LabelSelectorRequirementBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.core.precedence.Loss;
import io.portcullis.core.precedence.PrecedenceScope;
import java.util.HashMap;
import java.util.List;
import java.util.function.UnaryOperator;

/** Removes the requests that a policy loses by precedence from its rendered webhook, and annotates the webhook. */
final class NarrowedWebhook {

    private static final JsonMapper MAPPER = new JsonMapper();

    private NarrowedWebhook() {}

    /**
     * Returns the narrowed webhook.
     *
     * @param match the match section of the generation that the webhook is rendered for
     */
    static HasMetadata of(HasMetadata webhook, PolicyKind kind, PolicySpec.Match match, Loss loss) {
        return switch (loss) {
            case Loss.Nothing _ -> webhook;
            // The controller removes this webhook. Until then it stays complete.
            case Loss.Everything _, Loss.Conflict _ -> webhook;
            case Loss.Namespaces namespaces -> {
                var names = List.copyOf(namespaces.names());
                change(webhook, rules -> rules, selector -> without(selector, names));
                yield annotated(webhook, names);
            }
            case Loss.Rules rules -> {
                var remaining = PrecedenceScope.of(kind, match).without(rules.takers());
                change(webhook, _ -> remaining, selector -> selector);
                yield annotated(webhook, remaining);
            }
        };
    }

    private static void change(
            HasMetadata webhook,
            UnaryOperator<List<RuleWithOperations>> rules,
            UnaryOperator<LabelSelector> namespaces) {
        switch (webhook) {
            case ValidatingWebhookConfiguration validating ->
                validating.getWebhooks().forEach(entry -> {
                    entry.setRules(rules.apply(entry.getRules()));
                    entry.setNamespaceSelector(namespaces.apply(entry.getNamespaceSelector()));
                });
            case MutatingWebhookConfiguration mutating ->
                mutating.getWebhooks().forEach(entry -> {
                    entry.setRules(rules.apply(entry.getRules()));
                    entry.setNamespaceSelector(namespaces.apply(entry.getNamespaceSelector()));
                });
            default -> throw new IllegalArgumentException(webhook.getKind() + " is not a webhook configuration");
        }
    }

    private static LabelSelector without(LabelSelector selector, List<String> namespaces) {
        return new LabelSelectorBuilder(selector)
                .addToMatchExpressions(new LabelSelectorRequirementBuilder()
                        .withKey(WebhookNames.NAMESPACE_NAME)
                        .withOperator("NotIn")
                        .withValues(namespaces)
                        .build())
                .build();
    }

    /** Adds an annotation that distinguishes a change of precedence from a change by another client. */
    private static HasMetadata annotated(HasMetadata webhook, Object narrowing) {
        var annotations = new HashMap<>(webhook.getMetadata().getAnnotations());
        annotations.put(WebhookNames.PRECEDENCE, CanonicalJson.digest(MAPPER.valueToTree(narrowing)));
        webhook.getMetadata().setAnnotations(annotations);
        return webhook;
    }
}
