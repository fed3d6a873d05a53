package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.controller.cluster.ClusterView;
import java.util.Optional;

/** The Secrets of the controller's namespace: as the watch saw them last, and as they are. */
record SecretStore(KubernetesClient client, ClusterView view, String namespace) {

    private static final String FIELD_MANAGER = "kubewarden-controller/certificates";

    /** May lag behind; good for finding that nothing needs to be done. */
    Optional<Secret> seen(String name) {
        return view.secrets().get(namespace, name);
    }

    /** To be asked before anything is changed. */
    Optional<Secret> actual(String name) {
        return Optional.ofNullable(
                client.secrets().inNamespace(namespace).withName(name).get());
    }

    /** Fails when somebody else was faster. */
    Secret write(Secret secret) {
        return secret.getMetadata().getResourceVersion() == null
                ? client.resource(secret).create()
                : client.resource(secret).update();
    }

    /** Makes our part of it be like this, and leaves what others put there. */
    Secret apply(Secret secret) {
        return apply(secret, FIELD_MANAGER);
    }

    Secret apply(Secret secret, String fieldManager) {
        return client.resource(secret)
                .fieldManager(fieldManager)
                .forceConflicts()
                .serverSideApply();
    }
}
