package io.portcullis.controller.admission.rules;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerSpec;
import io.portcullis.controller.admission.Admission;
import io.portcullis.controller.admission.AdmissionVerdict;
import io.portcullis.controller.admission.ResourceReview;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.core.validation.PolicyServerValidation;
import io.portcullis.core.validation.PolicyServerValidation.Lookups;
import io.portcullis.core.validation.Validation;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Admission of PolicyServers.
 *
 * @param isDefaultKept whether the server {@code default} cannot be deleted
 * @param controller the user name of this process at the API server
 */
record PolicyServerAdmission(ClusterFacts facts, ClusterView view, boolean isDefaultKept, String controller)
        implements Admission {

    @Override
    public AdmissionVerdict decide(ResourceReview review) {
        var warnings = scalesToZero(review)
                ? PolicyServerValidation.scaledToZero(review.name(), enforcedPolicies(review.name()))
                : List.<String>of();
        if (isScale(review)) {
            return AdmissionVerdict.of(new Validation(List.of(), warnings));
        }
        var validation = validate(review);
        return AdmissionVerdict.of(new Validation(
                validation.errors(),
                Stream.concat(warnings.stream(), validation.warnings().stream()).toList()));
    }

    /** {@code kubectl scale} sends a Scale object, which has the same field. */
    private static boolean isScale(ResourceReview review) {
        return review.object()
                .filter(object -> object.path("kind").asText().equals("Scale"))
                .isPresent();
    }

    private static boolean scalesToZero(ResourceReview review) {
        return review.operation() == ResourceReview.Operation.UPDATE
                && replicas(review.old()) > 0
                && replicas(review.object()) == 0;
    }

    private static int replicas(Optional<ObjectNode> object) {
        return object.map(found -> found.path("spec").path("replicas").asInt(0)).orElse(0);
    }

    private Validation validate(ResourceReview review) {
        return switch (review.operation()) {
            case CREATE -> {
                var server = ResourceReview.as(review.object(), PolicyServer.class);
                yield PolicyServerValidation.create(server, lookups(server, Optional.empty()));
            }
            case UPDATE -> {
                var server = ResourceReview.as(review.object(), PolicyServer.class);
                // The finalizer of a deleted server must be removable, even if the server is now invalid.
                yield server.isMarkedForDeletion()
                        ? Validation.FINE
                        : PolicyServerValidation.update(
                                server,
                                lookups(server, Optional.of(ResourceReview.as(review.old(), PolicyServer.class))));
            }
            case DELETE ->
                PolicyServerValidation.delete(
                        review.name(), enforcedPolicies(review.name()).size(), isDefaultKept);
        };
    }

    /** Does not look up an unchanged service account, because the reconciler reports its problems. */
    private Lookups lookups(PolicyServer server, Optional<PolicyServer> old) {
        try {
            PolicyServerSpec.Sources sources = server.read().sources();
            var account = server.read().container().serviceAccountName();
            var isSame = old.map(before -> before.getSpec().path("serviceAccountName"))
                    .filter(server.getSpec().path("serviceAccountName")::equals)
                    .isPresent();
            return new Lookups(
                    facts.secret(sources.imagePullSecret()),
                    facts.configMap(sources.sigstoreTrustConfig()),
                    facts.configMap(sources.verificationConfig()),
                    isSame ? Optional.empty() : facts.serviceAccountProblem(account, controller));
        } catch (FlatObject.MalformedException e) {
            return Lookups.NONE; // the validation reports the error
        }
    }

    /** The names of enforcing policies on the server; namespaced ones include their namespace. */
    private List<String> enforcedPolicies(String server) {
        return view.policies()
                .filter(policy -> isEnforcedBy(policy, server))
                .map(policy -> policy.ref().qualifiedName())
                .sorted()
                .toList();
    }

    private static boolean isEnforcedBy(Policy policy, String server) {
        try {
            var placement = policy.read().placement();
            return placement.policyServer().equals(server) && placement.mode() == PolicyMode.PROTECT;
        } catch (FlatObject.MalformedException e) {
            return false;
        }
    }
}
