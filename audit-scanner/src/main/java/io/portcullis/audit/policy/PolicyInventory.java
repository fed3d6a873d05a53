package io.portcullis.audit.policy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * All policies of the cluster, grouped by how the scanner handles them. An invalid policy does not affect the others.
 *
 * @param skipped policies that must not be audited: not enforced, or excluded by their spec
 * @param errored policies that cannot be audited
 */
public record PolicyInventory(List<AuditedPolicy> audited, List<LeftOut> skipped, List<LeftOut> errored) {

    /** A policy that is not audited, with the reason. */
    public record LeftOut(PolicyRef policy, String reason) {}

    /** A policy resource as returned by the API server. */
    public record Found(PolicyKind kind, ObjectNode object) {

        PolicyRef ref() {
            var metadata = object.path("metadata");
            return new PolicyRef(
                    kind,
                    kind.isNamespaced() ? metadata.path("namespace").asText("") : "",
                    metadata.path("name").asText(""));
        }

        String metadata(String field) {
            return object.path("metadata").path(field).asText("");
        }

        String annotation(String name) {
            return object.path("metadata").path("annotations").path(name).asText("");
        }
    }

    /** Valid severities. The API server would reject a report with any other value. */
    private static final Set<String> SEVERITIES = Set.of("critical", "high", "medium", "low", "info");

    public PolicyInventory {
        audited = List.copyOf(audited);
        skipped = List.copyOf(skipped);
        errored = List.copyOf(errored);
    }

    /**
     * @param webhooks by name, without the unreadable ones
     * @param damaged errors of unreadable webhook configurations, by name
     */
    static PolicyInventory of(List<Found> policies, Map<String, Webhook> webhooks, Map<String, String> damaged) {
        var audited = new ArrayList<AuditedPolicy>();
        var skipped = new ArrayList<LeftOut>();
        var errored = new ArrayList<LeftOut>();
        for (var policy : policies) {
            var ref = policy.ref();
            try {
                var spec = PolicySpec.read(
                        policy.kind(), policy.object().path("spec") instanceof ObjectNode node ? node : emptySpec());
                var webhook = find(policy, webhooks);
                var broken =
                        webhookNames(ref).stream().filter(damaged::containsKey).findFirst();
                if (!spec.placement().backgroundAudit()) {
                    skipped.add(new LeftOut(ref, "backgroundAudit is false"));
                } else if (webhook.isPresent()) {
                    audited.add(new AuditedPolicy(
                            webhook.get().name(), ref, reportAttributes(policy, spec), webhook.get()));
                } else if (broken.isPresent()) {
                    errored.add(new LeftOut(ref, damaged.getOrDefault(broken.get(), "")));
                } else {
                    skipped.add(new LeftOut(ref, "it is not enforced: it has no webhook configuration"));
                }
            } catch (FlatObject.MalformedException e) {
                errored.add(new LeftOut(ref, String.valueOf(e.getMessage())));
            }
        }
        return new PolicyInventory(audited, skipped, errored);
    }

    private static ObjectNode emptySpec() {
        return JsonNodeFactory.instance.objectNode();
    }

    /** Returns the possible webhook names of a policy, for each naming scheme of the controller. */
    private static List<String> webhookNames(PolicyRef ref) {
        return List.of(IdentityScheme.DOTTED.policyId(ref), IdentityScheme.LEGACY.policyId(ref));
    }

    private static Optional<Webhook> find(Found policy, Map<String, Webhook> webhooks) {
        return webhookNames(policy.ref()).stream()
                .map(webhooks::get)
                .filter(webhook -> webhook != null && belongs(webhook.policy(), policy))
                .findFirst();
    }

    /**
     * Reports whether a webhook belongs to a policy. Two policies may share a legacy name, so the annotations of the
     * webhook decide.
     */
    private static boolean belongs(Webhook.Claim claim, Found policy) {
        if (!claim.uid().isEmpty()) {
            return claim.uid().equals(policy.metadata("uid"));
        }
        return claim.name().isEmpty()
                || (claim.name().equals(policy.ref().name())
                        && claim.namespace().equals(policy.ref().namespace()));
    }

    private static AuditedPolicy.ReportAttributes reportAttributes(Found policy, PolicySpec spec) {
        return new AuditedPolicy.ReportAttributes(
                policy.metadata("uid"),
                policy.metadata("resourceVersion"),
                policy.annotation(PolicyNames.CATEGORY),
                severity(policy.annotation(PolicyNames.SEVERITY)),
                spec.placement().mode() == PolicyMode.MONITOR,
                policy.kind().grantsContext() && isContextAware(spec.content()));
    }

    private static String severity(String annotation) {
        var lower = annotation.toLowerCase(Locale.ROOT);
        return SEVERITIES.contains(lower) ? lower : "";
    }

    private static boolean isContextAware(PolicyContent content) {
        return switch (content) {
            case PolicyContent.Single single -> !single.contextAwareResources().isEmpty();
            case PolicyContent.Group group ->
                group.policies().values().stream()
                        .anyMatch(member -> !member.contextAwareResources().isEmpty());
        };
    }

    /**
     * Counts the policies that apply to objects in a namespace. With an empty namespace, counts only cluster-wide
     * policies.
     */
    public static long countFor(List<LeftOut> policies, String namespace) {
        return policies.stream()
                .map(LeftOut::policy)
                .filter(policy ->
                        !policy.kind().isNamespaced() || policy.namespace().equals(namespace))
                .count();
    }
}
