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

/**
 * Admission of PolicyServers.
 *
 * @param isDefaultKept whether the server {@code default} may not be deleted
 */
record PolicyServerAdmission(ClusterFacts facts, ClusterView view, boolean isDefaultKept) implements Admission {

    @Override
    public Verdict judge(Review review) {
        return Verdict.of(
                switch (review.operation()) {
                    case CREATE -> {
                        var server = Review.as(review.object(), PolicyServer.class);
                        yield PolicyServerValidation.create(server, lookups(server));
                    }
                    case UPDATE -> {
                        var server = Review.as(review.object(), PolicyServer.class);
                        // A server on its way out must be able to lose its finalizer, whatever it has become.
                        yield server.isMarkedForDeletion()
                                ? Validation.FINE
                                : PolicyServerValidation.update(server, lookups(server));
                    }
                    case DELETE ->
                        PolicyServerValidation.delete(review.name(), protecting(review.name()), isDefaultKept);
                });
    }

    private Lookups lookups(PolicyServer server) {
        try {
            PolicyServerSpec.Sources sources = server.read().sources();
            return new Lookups(
                    facts.secret(sources.imagePullSecret()),
                    facts.configMap(sources.sigstoreTrustConfig()),
                    facts.configMap(sources.verificationConfig()));
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
