package io.portcullis.lifecycle;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import java.util.function.Consumer;

/** Objects as users write them. */
record Policies(KubernetesClient client) {

    private static final int ATTEMPTS = 10;

    /** A policy against privileged pods in namespaces that carry a label; its message tells generations apart. */
    static ClusterAdmissionPolicy privilegedPods(
            String name, String server, String module, String message, String namespaceLabel) {
        return Serialization.unmarshal(
                """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: %s}
                spec:
                  module: %s
                  policyServer: "%s"
                  mutating: false
                  message: %s
                  settings: {}
                  namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %s}}
                  rules:
                    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
                """.formatted(name, module, server, message, namespaceLabel), ClusterAdmissionPolicy.class);
    }

    /** With all the time that Kubernetes allows: a busy machine is slow, and being slow is not losing a request. */
    static ClusterAdmissionPolicy patient(ClusterAdmissionPolicy policy) {
        policy.getSpec().put("timeoutSeconds", 30);
        return policy;
    }

    static PolicyServer server(String name, int replicas, String insecureSource) {
        return Serialization.unmarshal("""
            apiVersion: policies.kubewarden.io/v1
            kind: PolicyServer
            metadata: {name: %s}
            spec:
              image: localhost/portcullis/policy-server:dev
              replicas: %d
              insecureSources: ["%s"]
            """.formatted(name, replicas, insecureSource), PolicyServer.class);
    }

    Resource<ClusterAdmissionPolicy> get(String name) {
        return client.resources(ClusterAdmissionPolicy.class).withName(name);
    }

    /** Changes the spec. */
    ClusterAdmissionPolicy edit(String name, Consumer<ObjectNode> change) {
        return edit(get(name), policy -> change.accept(policy.getSpec()));
    }

    /** Asks for an older generation, by number or {@code previous}. */
    void rollBack(String name, String to) {
        edit(get(name), policy -> policy.getMetadata().getAnnotations().put(PolicyNames.ROLLBACK_TO, to));
    }

    void editServer(String name, Consumer<ObjectNode> change) {
        edit(client.resources(PolicyServer.class).withName(name), server -> change.accept(server.getSpec()));
    }

    /** Repeats the write after a conflict, as a user would. */
    static <T extends HasMetadata> T edit(Resource<T> resource, Consumer<T> change) {
        for (int attempt = 1; ; attempt++) {
            try {
                return resource.edit(object -> {
                    change.accept(object);
                    return object;
                });
            } catch (KubernetesClientException e) {
                if (e.getCode() != 409 || attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
