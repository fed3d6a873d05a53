package io.portcullis.controller.admission;

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
import io.portcullis.api.validation.PolicyServerValidation.Lookup;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What only the cluster knows, asked for at the moment: a watch may lag behind an object that was made just before the
 * one that refers to it.
 */
record ClusterFacts(KubernetesClient client, String namespace) {

    private static final Logger log = LoggerFactory.getLogger(ClusterFacts.class);
    private static final int INVALID = 422;

    /** What a PolicyServer calls a Secret. */
    Lookup secret(@Nullable String name) {
        return found(name, present -> {
            Secret secret =
                    client.secrets().inNamespace(namespace).withName(present).get();
            return secret == null ? missing("secrets", present) : new Lookup.Secret(String.valueOf(secret.getType()));
        });
    }

    Lookup configMap(@Nullable String name) {
        return found(name, present -> {
            ConfigMap map =
                    client.configMaps().inNamespace(namespace).withName(present).get();
            return map == null ? missing("configmaps", present) : new Lookup.ConfigMap(keys(map));
        });
    }

    /** The PolicyServer of this name, unless there is none. */
    Optional<PolicyServer> policyServer(String name) {
        return Optional.ofNullable(
                client.resources(PolicyServer.class).withName(name).get());
    }

    /** Why a PolicyServer may not use a service account; empty: it may. */
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

    /** The labels of a namespace; empty when there is no such namespace. */
    Optional<Map<String, String>> namespaceLabels(String name) {
        return Optional.ofNullable(client.namespaces().withName(name).get()).map(ClusterFacts::labels);
    }

    private static Set<String> keys(ConfigMap map) {
        return Optional.ofNullable(map.getData()).map(Map::keySet).orElse(Set.of());
    }

    @FunctionalInterface
    private interface Finding {
        Lookup of(String name);
    }

    private static Lookup found(@Nullable String name, Finding finding) {
        if (name == null || name.isEmpty()) {
            return new Lookup.Unused();
        }
        try {
            return finding.of(name);
        } catch (KubernetesClientException e) {
            return new Lookup.Failed(String.valueOf(e.getMessage()));
        }
    }

    private static Lookup missing(String what, String name) {
        return new Lookup.Failed(what + " \"" + name + "\" not found");
    }

    /** Whether a user may delete a policy. When that cannot be found out, they may not. */
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
            log.atWarn().addKeyValue("error", e.getMessage()).log("cannot ask who may delete a policy");
            return false;
        }
    }

    /** One thing that the API server finds wrong with an object. */
    record Complaint(String field, String reason, String message) {}

    /** What the API server would say to this object; nothing is made. When it cannot be asked, nothing. */
    List<Complaint> dryRun(HasMetadata object) {
        try {
            client.resource(object).dryRun().create();
            return List.of();
        } catch (KubernetesClientException e) {
            if (e.getCode() != INVALID || e.getStatus() == null || e.getStatus().getDetails() == null) {
                log.atWarn().addKeyValue("error", e.getMessage()).log("a webhook cannot be tried out");
                return List.of();
            }
            return e.getStatus().getDetails().getCauses().stream()
                    .map(cause -> new Complaint(
                            String.valueOf(cause.getField()),
                            String.valueOf(cause.getReason()),
                            String.valueOf(cause.getMessage())))
                    .toList();
        }
    }
}
