package io.portcullis.controller.cluster;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/**
 * A server-side apply of the status fields that one field manager owns.
 *
 * @param isGuarded whether the API server rejects the patch when the object has changed since it was read
 */
public record StatusPatch(String fieldManager, ObjectNode status, boolean isGuarded) {

    public <T extends HasMetadata> T apply(KubernetesClient client, T object) {
        var body = JsonNodeFactory.instance.objectNode();
        body.put("apiVersion", object.getApiVersion()).put("kind", object.getKind());
        var metadata =
                body.putObject("metadata").put("name", object.getMetadata().getName());
        if (object.getMetadata().getNamespace() != null) {
            metadata.put("namespace", object.getMetadata().getNamespace());
        }
        if (isGuarded) {
            metadata.put("uid", object.getMetadata().getUid());
            metadata.put("resourceVersion", object.getMetadata().getResourceVersion());
        }
        body.set("status", status);
        var patch = new PatchContext.Builder()
                .withPatchType(PatchType.SERVER_SIDE_APPLY)
                .withFieldManager(fieldManager)
                .withForce(true)
                .build();
        return client.resource(object).subresource("status").patch(patch, body.toString());
    }
}
