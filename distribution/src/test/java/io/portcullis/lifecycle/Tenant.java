package io.portcullis.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A user who may write AdmissionPolicies and pods in one namespace, and nothing else. */
record Tenant(KubernetesClient client, String namespace) implements AutoCloseable {

    private static final String ACCOUNT = "tenant";
    private static final String RBAC = "rbac.authorization.k8s.io";

    /** Makes the user's service account and role in a namespace that exists. */
    static Tenant create(TestCluster cluster, String namespace) {
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .build());
        cluster.apply(new RoleBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .addToRules(
                        new PolicyRuleBuilder()
                                .withApiGroups("policies.kubewarden.io")
                                .withResources("admissionpolicies")
                                .withVerbs(
                                        "create",
                                        "get",
                                        "list",
                                        "watch",
                                        "update",
                                        "patch",
                                        "delete",
                                        "deletecollection")
                                .build(),
                        new PolicyRuleBuilder()
                                .withApiGroups("")
                                .withResources("pods")
                                .withVerbs("create")
                                .build())
                .build());
        cluster.apply(new RoleBindingBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .withNewRoleRef(RBAC, "Role", ACCOUNT)
                .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                .build());
        return new Tenant(withToken(cluster, token(cluster, namespace)), namespace);
    }

    /**
     * Makes a user with the ClusterRole {@code edit} in a namespace that exists, and nothing else. A cluster without
     * controller-manager aggregates no roles, so the user gets the roles that would be aggregated.
     */
    static Tenant withRoleEdit(TestCluster cluster, String namespace) {
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(namespace)
                .endMetadata()
                .build());
        // The API server's own role view is itself aggregated into edit.
        Stream.of("aggregate-to-edit", "aggregate-to-view")
                .flatMap(
                        label -> cluster
                                .client()
                                .rbac()
                                .clusterRoles()
                                .withLabel(RBAC + "/" + label, "true")
                                .list()
                                .getItems()
                                .stream())
                .map(role -> role.getMetadata().getName())
                .distinct()
                .forEach(role -> cluster.apply(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withName(ACCOUNT + "-" + role.replace(':', '-'))
                        .withNamespace(namespace)
                        .endMetadata()
                        .withNewRoleRef(RBAC, "ClusterRole", role)
                        .addNewSubject("", "ServiceAccount", ACCOUNT, namespace)
                        .build()));
        return new Tenant(withToken(cluster, token(cluster, namespace)), namespace);
    }

    private static String token(TestCluster cluster, String namespace) {
        var request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(3600L)
                .endSpec()
                .build();
        return cluster.client()
                .serviceAccounts()
                .inNamespace(namespace)
                .withName(ACCOUNT)
                .tokenRequest(request)
                .getStatus()
                .getToken();
    }

    /** Writes a kubeconfig of this user, whose default namespace is the tenant's. */
    Path kubeconfig(TestCluster cluster, Path file) throws IOException {
        var config = Serialization.unmarshal(Files.readString(cluster.local().kubeconfig()), ObjectNode.class);
        var current =
                config.path("contexts").path(0).path("context").path("cluster").asText();
        config.put("current-context", ACCOUNT);
        config.putArray("users")
                .addObject()
                .put("name", ACCOUNT)
                .putObject("user")
                .put("token", client.getConfiguration().getOauthToken());
        config.putArray("contexts")
                .addObject()
                .put("name", ACCOUNT)
                .putObject("context")
                .put("cluster", current)
                .put("user", ACCOUNT)
                .put("namespace", namespace);
        return Files.writeString(file, config.toString());
    }

    /** Who has nothing but this token. */
    static KubernetesClient withToken(TestCluster cluster, String token) {
        var admin = cluster.client().getConfiguration();
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(Config.empty())
                        .withMasterUrl(admin.getMasterUrl())
                        .withCaCertData(admin.getCaCertData())
                        .withCaCertFile(admin.getCaCertFile())
                        .withOauthToken(token)
                        .build())
                .build();
    }

    /** Creates a policy on pods of the namespace. Its message tells generations apart. */
    AdmissionPolicy create(String name, String server, String module, String message) {
        var policy =
                Serialization.unmarshal("""
                apiVersion: policies.kubewarden.io/v1
                kind: AdmissionPolicy
                metadata: {name: %s, namespace: %s}
                spec:
                  module: %s
                  policyServer: %s
                  mutating: false
                  message: %s
                  settings: {}
                  timeoutSeconds: 30
                  failurePolicy: Fail
                  rules:
                    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
                """.formatted(name, namespace, module, server, message), AdmissionPolicy.class);
        return client.resource(policy).create();
    }

    Resource<AdmissionPolicy> policy(String name) {
        return client.resources(AdmissionPolicy.class).inNamespace(namespace).withName(name);
    }

    AdmissionPolicy edit(String name, Consumer<ObjectNode> change) {
        return Policies.edit(policy(name), policy -> change.accept(policy.getSpec()));
    }

    /** Asks for pods in the namespace. */
    Requests requests() {
        return new Requests(client, namespace);
    }

    List<AdmissionPolicy> policies() {
        return client.resources(AdmissionPolicy.class)
                .inNamespace(namespace)
                .list()
                .getItems();
    }

    void removePolicies() {
        client.resources(AdmissionPolicy.class).inNamespace(namespace).delete();
    }

    @Override
    public void close() {
        client.close();
    }
}
