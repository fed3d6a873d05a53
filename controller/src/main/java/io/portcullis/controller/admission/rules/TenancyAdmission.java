package io.portcullis.controller.admission.rules;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicySpec;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.Tenancy;
import io.portcullis.core.tenancy.PolicyUse;
import io.portcullis.core.tenancy.TenancyRules;
import io.portcullis.core.validation.FieldError;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Checks a new generation of a policy against {@code spec.tenancy} of its PolicyServer. A policy without a server, or whose
 * server does not exist yet, is checked against the default rules.
 *
 * @param policies all policies of the cluster, as watched; the policy server counts again before it loads a policy
 */
record TenancyAdmission(ClusterFacts facts, Supplier<Stream<Policy>> policies) {

    List<FieldError> check(Policy policy) {
        try {
            var spec = policy.read();
            var rules = rules(spec.placement());
            var use = PolicyUse.of(policy, spec, labels(policy, rules.tenancy()), policies.get());
            return rules.check(use).stream()
                    .map(violation -> FieldError.forbidden(violation.field(), violation.message()))
                    .toList();
        } catch (KubernetesClientException e) {
            return List.of(FieldError.forbidden(
                    "spec.policyServer", "cannot read the tenancy rules of the PolicyServer: " + e.getMessage()));
        }
    }

    private TenancyRules rules(PolicySpec.Placement placement) {
        var name = placement.policyServer();
        var server = placement.isScheduled() ? facts.policyServer(name) : Optional.<PolicyServer>empty();
        try {
            return server.map(PolicyServer::read)
                    .map(spec -> new TenancyRules(name, spec.tenancy(), spec.isVerifying()))
                    .orElseGet(() -> new TenancyRules(name, Tenancy.DEFAULT, false));
        } catch (FlatObject.MalformedException e) {
            throw new KubernetesClientException("PolicyServer " + name + ": " + e.getMessage());
        }
    }

    private Optional<Map<String, String>> labels(Policy policy, Tenancy tenancy) {
        return tenancy.namespaceSelector() == null || !policy.policyKind().isNamespaced()
                ? Optional.empty()
                : facts.namespaceLabels(policy.ref().namespace());
    }
}
