package io.portcullis.controller.policy.observe;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Namespace;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.ConditionType;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.controller.cluster.Watched;
import io.portcullis.controller.policy.objects.PolicyObjects;
import io.portcullis.controller.policy.webhook.LiveWebhook;
import io.portcullis.core.precedence.MergeStrategy;
import io.portcullis.core.precedence.OptIn;
import io.portcullis.core.precedence.Party;
import io.portcullis.core.precedence.PrecedenceOutcome;
import io.portcullis.core.precedence.PrecedenceRules;
import io.portcullis.core.precedence.PrecedenceScope;
import io.portcullis.core.webhook.WebhookNames;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Computes how other policies with the same precedence key affect a policy. Reads only memory, and nothing for policies
 * without a key.
 */
public final class PrecedenceView {

    private final PolicySettings settings;
    private final PolicyObjects objects;
    private final Watched<Namespace> namespaces;

    public PrecedenceView(PolicySettings settings, PolicyObjects objects, Watched<Namespace> namespaces) {
        this.settings = settings;
        this.objects = objects;
        this.namespaces = namespaces;
    }

    PrecedenceOutcome of(Policy policy) {
        var optIn = OptIn.of(policy);
        if (optIn.key().isEmpty() || policy.isMarkedForDeletion()) {
            return new PrecedenceOutcome(PrecedenceOutcome.UNTOUCHED.loss(), optIn.problem());
        }
        var key = optIn.key().get();
        var rivals = objects.withKey(key).stream()
                .filter(other -> !other.ref().equals(policy.ref()))
                .filter(other -> isRelevant(other, policy));
        var parties = Stream.concat(Stream.of(policy), rivals)
                .filter(other -> !other.isMarkedForDeletion())
                .map(other -> party(other, key))
                .flatMap(Optional::stream)
                .toList();
        return PrecedenceRules.decide(parties, labels(policy), settings.namespace())
                .getOrDefault(policy.ref(), PrecedenceOutcome.UNTOUCHED);
    }

    /** Namespaced policies do not affect each other. They affect cluster-wide policies only once they are enforced. */
    private static boolean isRelevant(Policy other, Policy policy) {
        return !other.policyKind().isNamespaced() || (!policy.policyKind().isNamespaced() && isEnforced(other));
    }

    /**
     * Whether a cluster-wide policy still excludes this policy's namespace. Until it includes the namespace again, this
     * policy must stay in place; otherwise no policy evaluates the requests.
     */
    public boolean isNamespaceStillExcluded(Policy policy) {
        return policy.policyKind().isNamespaced()
                && OptIn.of(policy).key().stream()
                        .flatMap(key -> objects.withKey(key).stream())
                        .filter(other -> !other.policyKind().isNamespaced() && !other.isMarkedForDeletion())
                        .flatMap(other -> webhook(other).stream())
                        .filter(PrecedenceView::isNarrowed)
                        .flatMap(webhook -> webhook.namespaceSelector().stream())
                        .anyMatch(selector -> excludes(selector, policy.ref().namespace()));
    }

    private static boolean excludes(LabelSelector selector, String namespace) {
        return selector.getMatchExpressions().stream()
                .anyMatch(requirement -> requirement.getKey().equals(WebhookNames.NAMESPACE_NAME)
                        && requirement.getOperator().equals("NotIn")
                        && requirement.getValues().contains(namespace));
    }

    private Map<String, Map<String, String>> labels(Policy policy) {
        var visible = policy.policyKind().isNamespaced()
                ? namespaces.get("", policy.ref().namespace()).stream().toList()
                : namespaces.all();
        Map<String, Map<String, String>> labels = new HashMap<>();
        visible.forEach(namespace -> labels.put(
                namespace.getMetadata().getName(),
                Objects.requireNonNullElse(namespace.getMetadata().getLabels(), Map.of())));
        return labels;
    }

    private Optional<Party> party(Policy policy, String key) {
        var latest = latest(policy);
        var webhook = webhook(policy);
        var served = webhook.flatMap(live -> revision(policy, live)).flatMap(revision -> served(policy, revision));
        var scopes = Stream.concat(latest.stream(), served.stream()).distinct().toList();
        if (scopes.isEmpty()) {
            return Optional.empty();
        }
        var strategy = OptIn.of(policy).strategy();
        Optional<PrecedenceScope> effective;
        if (policy.policyKind().isNamespaced()) {
            effective = isEnforced(policy) ? latest : Optional.empty();
        } else {
            effective = served.filter(_ -> strategy.equals(Optional.of(MergeStrategy.DEFAULTS))
                    || webhook.filter(PrecedenceView::isNarrowed).isEmpty());
        }
        return Optional.of(new Party(
                policy.ref(),
                key,
                Instant.parse(policy.getMetadata().getCreationTimestamp()),
                strategy,
                scopes,
                effective));
    }

    /**
     * Whether precedence narrowed the webhook. A policy that changed from defaults to overrides must first widen its
     * webhook again.
     */
    private static boolean isNarrowed(LiveWebhook webhook) {
        return webhook.annotation(WebhookNames.PRECEDENCE).isPresent();
    }

    /** Whether the latest generation is proved to be enforced, so that the latest scope is in effect. */
    public static boolean isEnforced(Policy policy) {
        return policy.getStatus() != null
                && policy.getStatus()
                        .condition(ConditionType.ENFORCED)
                        .filter(Condition::isTrue)
                        .filter(enforced -> Objects.equals(
                                enforced.observedGeneration(),
                                policy.getMetadata().getGeneration()))
                        .isPresent();
    }

    private static Optional<PrecedenceScope> latest(Policy policy) {
        try {
            return Optional.of(
                    PrecedenceScope.of(policy.policyKind(), policy.read().match()));
        } catch (FlatObject.MalformedException _) {
            return Optional.empty();
        }
    }

    private Optional<LiveWebhook> webhook(Policy policy) {
        var id = settings.identityScheme().policyId(policy.ref());
        return Stream.concat(objects.validatingWebhook(id).stream(), objects.mutatingWebhook(id).stream())
                .map(LiveWebhook::new)
                .filter(webhook -> webhook.belongsTo(policy.getMetadata().getUid()))
                .findFirst();
    }

    private Optional<PolicyRevision> revision(Policy policy, LiveWebhook webhook) {
        return objects.revisions(policy.getMetadata().getUid()).stream()
                .filter(revision -> revision.getSpec().policyGeneration() == webhook.generation())
                .findFirst();
    }

    private static Optional<PrecedenceScope> served(Policy policy, PolicyRevision revision) {
        try {
            return Optional.of(PrecedenceScope.of(
                    policy.policyKind(),
                    PolicySpec.read(policy.policyKind(), revision.getSpec().policySpec())
                            .match()));
        } catch (FlatObject.MalformedException _) {
            return Optional.empty();
        }
    }
}
