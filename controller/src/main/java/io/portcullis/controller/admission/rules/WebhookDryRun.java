package io.portcullis.controller.admission.rules;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.controller.admission.rules.ClusterFacts.Problem;
import io.portcullis.core.validation.FieldError;
import io.portcullis.core.webhook.DesiredWebhook;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Validates the webhook of a policy by a dry run on the API server. Only the API server validates rules, scopes,
 * selectors and CEL exactly for its own version. Its errors are mapped to the policy's own fields.
 */
record WebhookDryRun(ClusterFacts facts, IdentityScheme scheme) {

    /** The name for the dry run. The policy's own name may be in use by its current webhook. */
    private static final String DRY_RUN_NAME = "portcullis-trial";

    private static final String ENTRY = "webhooks[0].";

    /** Webhook fields that a policy has under the same name. Errors in other fields are not the user's. */
    private static final List<String> SHARED = List.of(
            "rules",
            "matchConditions",
            "matchPolicy",
            "failurePolicy",
            "objectSelector",
            "namespaceSelector",
            "sideEffects",
            "timeoutSeconds");

    /** The errors of a policy. An unchanged webhook is not checked again. */
    List<FieldError> check(Policy policy, Optional<Policy> old) {
        if (old.filter(before -> hasSameWebhook(policy, before)).isPresent()) {
            return List.of();
        }
        return facts.dryRun(webhook(policy)).stream()
                .map(WebhookDryRun::translate)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    boolean hasSameWebhook(Policy policy, Policy old) {
        try {
            return webhook(policy).equals(webhook(old));
        } catch (FlatObject.MalformedException e) {
            return false; // the old one was stored while admission was down
        }
    }

    /**
     * Renders with replaced metadata, because a policy that is being created may have neither UID nor generation yet.
     */
    private HasMetadata webhook(Policy policy) {
        var original = policy.getMetadata();
        try {
            policy.setMetadata(new ObjectMetaBuilder()
                    .withName(original.getName())
                    .withNamespace(original.getNamespace())
                    .withUid(DRY_RUN_NAME)
                    .withGeneration(1L)
                    .build());
            var revision = new DesiredRevision(scheme, facts.namespace()).of(policy);
            var webhook = new DesiredWebhook(facts.namespace(), Optional.empty(), "", false).of(revision);
            webhook.getMetadata().setName(DRY_RUN_NAME);
            return webhook;
        } finally {
            policy.setMetadata(original);
        }
    }

    static Optional<FieldError> translate(Problem problem) {
        if (!problem.field().startsWith(ENTRY)) {
            return Optional.empty();
        }
        var field = problem.field().substring(ENTRY.length());
        return SHARED.stream().anyMatch(name -> isWithin(field, name))
                ? Optional.of(new FieldError(type(problem.reason()), "spec." + field, problem.message()))
                : Optional.empty();
    }

    private static boolean isWithin(String field, String name) {
        return field.equals(name) || field.startsWith(name + ".") || field.startsWith(name + "[");
    }

    private static FieldError.Type type(String reason) {
        return Arrays.stream(FieldError.Type.values())
                .filter(type -> type.wireName().equals(reason))
                .findFirst()
                .orElse(FieldError.Type.INVALID);
    }
}
