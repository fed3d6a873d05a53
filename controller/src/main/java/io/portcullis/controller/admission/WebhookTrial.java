package io.portcullis.controller.admission;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.validation.FieldError;
import io.portcullis.api.webhook.DesiredWebhook;
import io.portcullis.controller.admission.ClusterFacts.Complaint;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Lets the API server judge the webhook that a policy would get: it is the only exact judge of rules, scopes, selectors
 * and the CEL of its own version. What it complains about is told in the policy's own fields.
 */
record WebhookTrial(ClusterFacts facts, IdentityScheme scheme) {

    /** Nothing is made under this name; the policy's own may be taken, by its present webhook. */
    private static final String TRIAL = "portcullis-trial";

    private static final String ENTRY = "webhooks[0].";

    /** Fields of a webhook that are written in a policy under the same name. The rest is our affair. */
    private static final List<String> SHARED = List.of(
            "rules",
            "matchConditions",
            "matchPolicy",
            "failurePolicy",
            "objectSelector",
            "namespaceSelector",
            "sideEffects",
            "timeoutSeconds");

    /** What is wrong with a policy; a webhook that stays as it was is not tried again. */
    List<FieldError> check(Policy policy, Optional<Policy> old) {
        if (old.filter(before -> hasSameWebhook(policy, before)).isPresent()) {
            return List.of();
        }
        return facts.dryRun(webhook(policy)).stream()
                .map(WebhookTrial::translate)
                .flatMap(Optional::stream)
                .distinct()
                .toList();
    }

    boolean hasSameWebhook(Policy policy, Policy old) {
        try {
            return webhook(policy).equals(webhook(old));
        } catch (FlatObject.MalformedException e) {
            return false; // the old one got in while nobody looked
        }
    }

    /** From a copy, since a policy that is being created may have neither UID nor generation yet. */
    private HasMetadata webhook(Policy policy) {
        var original = policy.getMetadata();
        try {
            policy.setMetadata(new ObjectMetaBuilder()
                    .withName(original.getName())
                    .withNamespace(original.getNamespace())
                    .withUid(TRIAL)
                    .withGeneration(1L)
                    .build());
            var revision = new DesiredRevision(scheme, facts.namespace()).of(policy);
            var webhook = new DesiredWebhook(facts.namespace(), Optional.empty(), "", false).of(revision);
            webhook.getMetadata().setName(TRIAL);
            return webhook;
        } finally {
            policy.setMetadata(original);
        }
    }

    static Optional<FieldError> translate(Complaint complaint) {
        if (!complaint.field().startsWith(ENTRY)) {
            return Optional.empty();
        }
        var field = complaint.field().substring(ENTRY.length());
        return SHARED.stream().anyMatch(name -> isWithin(field, name))
                ? Optional.of(new FieldError(type(complaint.reason()), "spec." + field, complaint.message()))
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
