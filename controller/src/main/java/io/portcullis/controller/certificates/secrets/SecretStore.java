package io.portcullis.controller.certificates.secrets;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.controller.cluster.ClusterView;
import java.util.Optional;

/** Reads and writes the Secrets of the controller's namespace, from the watch cache or from the API server. */
public record SecretStore(KubernetesClient client, ClusterView view, String namespace) {

    private static final String FIELD_MANAGER = "kubewarden-controller/certificates";

    /** From the watch cache, which may be stale; sufficient to find that nothing needs to change. */
    public Optional<Secret> cached(String name) {
        return view.secrets().get(namespace, name);
    }

    /** From the API server; read it before any change. */
    public Optional<Secret> live(String name) {
        return Optional.ofNullable(
                client.secrets().inNamespace(namespace).withName(name).get());
    }

    /** Fails on a conflict with another writer. */
    public Secret write(Secret secret) {
        return secret.getMetadata().getResourceVersion() == null
                ? client.resource(secret).create()
                : client.resource(secret).update();
    }

    /** Applies our fields and keeps the fields of others. */
    public Secret apply(Secret secret) {
        return apply(secret, FIELD_MANAGER);
    }

    public Secret apply(Secret secret, String fieldManager) {
        return client.resource(secret)
                .fieldManager(fieldManager)
                .forceConflicts()
                .serverSideApply();
    }
}
