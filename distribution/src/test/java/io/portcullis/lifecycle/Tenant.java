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
import java.util.List;
import java.util.function.Consumer;

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
        var request = new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(3600L)
                .endSpec()
                .build();
        var token = cluster.client()
                .serviceAccounts()
                .inNamespace(namespace)
                .withName(ACCOUNT)
                .tokenRequest(request)
                .getStatus()
                .getToken();
        return new Tenant(withToken(cluster, token), namespace);
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
