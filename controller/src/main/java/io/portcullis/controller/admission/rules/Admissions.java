package io.portcullis.controller.admission.rules;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.Policy;
import io.portcullis.controller.admission.Admission;
import io.portcullis.controller.admission.AdmissionVerdict;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.core.validation.PolicyRevisionValidation;
import io.portcullis.core.validation.PolicyValidation;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Maps paths to admission checks: {@code /validate-policies-kubewarden-io-v1-<kind>} and {@code /mutate-…} for our six
 * kinds.
 */
public final class Admissions {

    private static final String PATH = "-policies-kubewarden-io-v1-";

    private final Map<String, Route> routes = new HashMap<>();

    /**
     * The settings of admission.
     *
     * @param namespace the namespace of policy servers
     * @param acceptsAllInside whether policy servers accept everything in that namespace
     * @param keepsDefaultServer whether the PolicyServer {@code default} cannot be deleted
     * @param controller the user name of this process at the API server
     */
    public record Rules(
            String namespace,
            IdentityScheme scheme,
            boolean acceptsAllInside,
            boolean keepsDefaultServer,
            String controller) {}

    /** The admission check of a path, and the name of the kind. */
    public record Route(String kind, Admission admission) {}

    /** Adds an index to the view; must be called before the view starts. */
    public Admissions(KubernetesClient client, ClusterView view, Rules rules) {
        var facts = new ClusterFacts(client, rules.namespace());
        var policies = new PolicyValidation(rules.scheme(), rules.namespace(), rules.acceptsAllInside());
        var revisions = view.revisions().indexedBy("admission-policy-uid", PolicyAdmission::policyUid);
        var tenancy = new TenancyAdmission(facts, view::policies);
        var trial = new WebhookDryRun(facts, rules.scheme());
        for (Class<? extends Policy> type : List.of(
                AdmissionPolicy.class,
                ClusterAdmissionPolicy.class,
                AdmissionPolicyGroup.class,
                ClusterAdmissionPolicyGroup.class)) {
            add(
                    type.getSimpleName(),
                    new PolicyAdmission(type, policies, facts, revisions, tenancy, trial),
                    _ -> AdmissionVerdict.FINE);
        }
        add(
                "PolicyServer",
                new PolicyServerAdmission(facts, view, rules.keepsDefaultServer(), rules.controller()),
                Defaults::ofPolicyServer);
        add(
                "PolicyRevision",
                new PolicyRevisionAdmission(new PolicyRevisionValidation(rules.namespace()), rules.controller()),
                _ -> AdmissionVerdict.FINE);
    }

    private void add(String kind, Admission validating, Admission mutating) {
        var lower = kind.toLowerCase(Locale.ROOT);
        routes.put("/validate" + PATH + lower, new Route(kind, validating));
        routes.put("/mutate" + PATH + lower, new Route(kind, mutating));
    }

    public Optional<Route> route(String path) {
        return Optional.ofNullable(routes.get(path));
    }
}
