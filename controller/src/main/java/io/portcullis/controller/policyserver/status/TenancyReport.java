package io.portcullis.controller.policyserver.status;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyContent;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.core.tenancy.PolicyUse;
import io.portcullis.core.tenancy.PolicyUse.NamespaceUse;
import io.portcullis.core.tenancy.TenancyRules;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * The policies of one server that violate its tenancy rules, because they were admitted before the rules became
 * stricter. Enforced generations stay enforced; a new generation is rejected.
 *
 * @param violations one text for each policy, sorted
 */
public record TenancyReport(List<String> violations) {

    static final String CONDITION = "TenancyRespected";
    static final String RESPECTED = "PoliciesRespectTenancy";
    static final String VIOLATED = "PoliciesViolateTenancy";

    private static final int MAX_NAMED = 5;

    /**
     * Checks all policies of a server.
     *
     * @param policies that name the server
     * @param namespaceLabels labels of a namespace
     */
    public static TenancyReport of(
            ServerSpec serverSpec,
            List<Policy> policies,
            Function<String, Optional<Map<String, String>>> namespaceLabels) {
        var spec = serverSpec.spec();
        var rules = new TenancyRules(serverSpec.names().server(), spec.tenancy(), spec.isVerifying());
        var used = new HashMap<String, NamespaceUse>();
        var violations = new TreeSet<String>();
        policies.stream()
                .filter(policy -> !policy.isMarkedForDeletion())
                .sorted(PolicyUse.BY_AGE)
                .forEach(policy -> {
                    var namespace = policy.ref().namespace();
                    var before = used.getOrDefault(namespace, NamespaceUse.NONE);
                    read(policy).ifPresent(content -> {
                        var modules = PolicyUse.references(content);
                        var use = new PolicyUse(
                                policy.ref(),
                                modules,
                                PolicyUse.contextAwareResources(content),
                                namespaceLabels.apply(namespace),
                                before);
                        violated(rules, use).ifPresent(violations::add);
                        used.put(namespace, before.plus(modules.values()));
                    });
                });
        return new TenancyReport(List.copyOf(violations));
    }

    private static Optional<PolicyContent> read(Policy policy) {
        try {
            return Optional.of(policy.read().content());
        } catch (FlatObject.MalformedException e) {
            return Optional.empty(); // no server loads it
        }
    }

    private static Optional<String> violated(TenancyRules rules, PolicyUse use) {
        var names = rules.check(use).stream()
                .map(violation -> violation.rule().field())
                .distinct()
                .toList();
        return names.isEmpty()
                ? Optional.empty()
                : Optional.of(use.policy().display() + ": " + String.join(", ", names));
    }

    boolean isRespected() {
        return violations.isEmpty();
    }

    String message() {
        if (isRespected()) {
            return "All policies of this server respect spec.tenancy.";
        }
        var named = String.join("; ", violations.subList(0, Math.min(MAX_NAMED, violations.size())));
        int more = violations.size() - MAX_NAMED;
        return "%d policies violate spec.tenancy. What is enforced stays enforced, new generations are refused: %s%s"
                .formatted(violations.size(), named, more > 0 ? "; and " + more + " more" : "");
    }
}
