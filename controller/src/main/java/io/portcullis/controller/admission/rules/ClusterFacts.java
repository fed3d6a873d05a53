package io.portcullis.controller.admission.rules;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerAccount;
import io.portcullis.controller.admission.ResourceReview;
import io.portcullis.core.validation.PolicyServerValidation.Lookup;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads facts from the API server instead of a watch cache: a cache may lag behind an object that was created just
 * before the object that refers to it.
 */
record ClusterFacts(KubernetesClient client, String namespace) {

    private static final Logger log = LoggerFactory.getLogger(ClusterFacts.class);
    private static final int INVALID = 422;

    /** Looks up a Secret that a PolicyServer refers to. */
    Lookup secret(@Nullable String name) {
        return lookUp(name, givenName -> {
            Secret secret =
                    client.secrets().inNamespace(namespace).withName(givenName).get();
            return secret == null ? missing("secrets", givenName) : new Lookup.Secret(String.valueOf(secret.getType()));
        });
    }

    Lookup configMap(@Nullable String name) {
        return lookUp(name, givenName -> {
            ConfigMap map = client.configMaps()
                    .inNamespace(namespace)
                    .withName(givenName)
                    .get();
            return map == null ? missing("configmaps", givenName) : new Lookup.ConfigMap(keys(map));
        });
    }

    /** The PolicyServer of this name, if it exists. */
    Optional<PolicyServer> policyServer(String name) {
        return Optional.ofNullable(
                client.resources(PolicyServer.class).withName(name).get());
    }

    /** Why a PolicyServer may not use a service account; empty if it may. */
    Optional<String> serviceAccountProblem(@Nullable String name, String controller) {
        if (name == null || name.isEmpty()) {
            return Optional.empty();
        }
        try {
            var account = client.serviceAccounts()
                    .inNamespace(namespace)
                    .withName(name)
                    .get();
            return PolicyServerAccount.problem(
                    name, Optional.ofNullable(account).map(ClusterFacts::labels), namespace, controller);
        } catch (KubernetesClientException e) {
            return Optional.of("cannot get the ServiceAccount: " + e.getMessage());
        }
    }

    private static Map<String, String> labels(HasMetadata object) {
        return Objects.requireNonNullElse(object.getMetadata().getLabels(), Map.<String, String>of());
    }

    /** The labels of a namespace; empty when it does not exist. */
    Optional<Map<String, String>> namespaceLabels(String name) {
        return Optional.ofNullable(client.namespaces().withName(name).get()).map(ClusterFacts::labels);
    }

    private static Set<String> keys(ConfigMap map) {
        return Optional.ofNullable(map.getData()).map(Map::keySet).orElse(Set.of());
    }

    private static Lookup lookUp(@Nullable String name, Function<String, Lookup> call) {
        if (name == null || name.isEmpty()) {
            return new Lookup.Unused();
        }
        try {
            return call.apply(name);
        } catch (KubernetesClientException e) {
            return new Lookup.Failed(String.valueOf(e.getMessage()));
        }
    }

    private static Lookup missing(String what, String name) {
        return new Lookup.Failed(what + " \"" + name + "\" not found");
    }

    /** Whether a user may delete a policy; false if the check fails. */
    boolean mayDelete(ResourceReview.User user, PolicyRef policy) {
        var review = new SubjectAccessReviewBuilder()
                .withNewSpec()
                .withUser(user.name())
                .withUid(user.uid())
                .withGroups(user.groups())
                .withExtra(user.extra())
                .withNewResourceAttributes()
                .withGroup(PolicyKind.GROUP)
                .withVersion(PolicyKind.VERSION)
                .withResource(policy.kind().plural())
                .withVerb("delete")
                .withNamespace(policy.namespace())
                .withName(policy.name())
                .endResourceAttributes()
                .endSpec()
                .build();
        try {
            var answer = client.resource(review).create();
            return answer.getStatus() != null
                    && Boolean.TRUE.equals(answer.getStatus().getAllowed());
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("error", e.getMessage())
                    .log("cannot check whether the user may delete the policy");
            return false;
        }
    }

    /** One problem that the API server reports about an object. */
    record Problem(String field, String reason, String message) {}

    /** Creates the object as a dry run and returns the reported problems. Empty if the API server cannot be reached. */
    List<Problem> dryRun(HasMetadata object) {
        try {
            client.resource(object).dryRun().create();
            return List.of();
        } catch (KubernetesClientException e) {
            if (e.getCode() != INVALID || e.getStatus() == null || e.getStatus().getDetails() == null) {
                log.atWarn().addKeyValue("error", e.getMessage()).log("cannot run a dry run of the webhook");
                return List.of();
            }
            return e.getStatus().getDetails().getCauses().stream()
                    .map(cause -> new Problem(
                            String.valueOf(cause.getField()),
                            String.valueOf(cause.getReason()),
                            String.valueOf(cause.getMessage())))
                    .toList();
        }
    }
}
