package io.portcullis.controller.admission;

import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerSpec;
import io.portcullis.api.validation.PolicyServerValidation;
import io.portcullis.api.validation.PolicyServerValidation.Lookups;
import io.portcullis.api.validation.Validation;
import io.portcullis.controller.cluster.ClusterView;
import java.util.Optional;

/**
 * Admission of PolicyServers.
 *
 * @param isDefaultKept whether the server {@code default} may not be deleted
 * @param controller the user that this process is to the API server
 */
record PolicyServerAdmission(ClusterFacts facts, ClusterView view, boolean isDefaultKept, String controller)
        implements Admission {

    @Override
    public Verdict judge(Review review) {
        return Verdict.of(
                switch (review.operation()) {
                    case CREATE -> {
                        var server = Review.as(review.object(), PolicyServer.class);
                        yield PolicyServerValidation.create(server, lookups(server, Optional.empty()));
                    }
                    case UPDATE -> {
                        var server = Review.as(review.object(), PolicyServer.class);
                        // A server on its way out must be able to lose its finalizer, whatever it has become.
                        yield server.isMarkedForDeletion()
                                ? Validation.FINE
                                : PolicyServerValidation.update(
                                        server,
                                        lookups(server, Optional.of(Review.as(review.old(), PolicyServer.class))));
                    }
                    case DELETE ->
                        PolicyServerValidation.delete(review.name(), protecting(review.name()), isDefaultKept);
                });
    }

    /** A service account that stays the same is not looked up: the reconciler reports it. */
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
            return Lookups.NONE; // the validation says what is wrong
        }
    }

    private int protecting(String server) {
        return (int)
                view.policies().filter(policy -> isProtectedBy(policy, server)).count();
    }

    private static boolean isProtectedBy(Policy policy, String server) {
        try {
            var placement = policy.read().placement();
            return placement.policyServer().equals(server) && placement.mode() == PolicyMode.PROTECT;
        } catch (FlatObject.MalformedException e) {
            return false;
        }
    }
}
