package io.portcullis.controller.cluster;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.revision.RevisionSlots;
import io.portcullis.process.kubernetes.OwnWrites;
import java.net.HttpURLConnection;

/** Writes objects to the API server. Records every answer until the watches have caught up. */
public final class ApiWriter {

    private static final int UNPROCESSABLE = 422;

    private final KubernetesClient client;
    private final OwnWrites written;

    public ApiWriter(KubernetesClient client, OwnWrites written) {
        this.client = client;
        this.written = written;
    }

    public static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    public static boolean isConflict(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_CONFLICT;
    }

    /** Whether the API server rejects the content, so that a retry does not help. */
    public static boolean isRefusal(KubernetesClientException failure) {
        return failure.getCode() == UNPROCESSABLE || failure.getCode() == HttpURLConnection.HTTP_BAD_REQUEST;
    }

    public static boolean isMissing(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
    }

    /** Creates the object; returns the existing object if there is one. */
    public <T extends HasMetadata> T create(T object) {
        try {
            return recorded(client.resource(object).create());
        } catch (KubernetesClientException e) {
            var found = isConflict(e) ? client.resource(object).get() : null;
            if (found == null) {
                throw e;
            }
            return recorded(found);
        }
    }

    /** Changes fields with a merge patch, if the object has not changed since the decision. */
    public <T extends HasMetadata> T change(T object, ObjectNode change) {
        change.withObjectProperty("metadata")
                .put("resourceVersion", object.getMetadata().getResourceVersion());
        var patch = new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(RevisionSlots.CONTROLLER)
                .build();
        return recorded(client.resource(object).patch(patch, change.toString()));
    }

    /** Replaces parts with a JSON patch, if the object has not changed since the decision. */
    public <T extends HasMetadata> T edit(T object, ArrayNode operations) {
        var guarded = JsonNodeFactory.instance.arrayNode();
        guarded.addObject()
                .put("op", "replace")
                .put("path", "/metadata/resourceVersion")
                .put("value", object.getMetadata().getResourceVersion());
        guarded.addAll(operations);
        var patch = new PatchContext.Builder()
                .withPatchType(PatchType.JSON)
                .withFieldManager(RevisionSlots.CONTROLLER)
                .build();
        return recorded(client.resource(object).patch(patch, guarded.toString()));
    }

    /** Applies an object of which we own every field that we set. */
    public <T extends HasMetadata> T apply(T object) {
        return recorded(client.resource(object)
                .fieldManager(RevisionSlots.CONTROLLER)
                .forceConflicts()
                .serverSideApply());
    }

    /** Applies our own slot of a status as a whole. */
    public <T extends HasMetadata> T applyStatus(T object, String slot, ObjectNode status) {
        return applyStatus(object, slot, status, false);
    }

    /**
     * Applies a slot that other writers, or an earlier leader, also write. Fails if the object has changed in the
     * meantime.
     */
    public <T extends HasMetadata> T applyStatusIfUnchanged(T object, String slot, ObjectNode status) {
        return applyStatus(object, slot, status, true);
    }

    private <T extends HasMetadata> T applyStatus(T object, String slot, ObjectNode status, boolean isGuarded) {
        return recorded(new StatusPatch(slot, status, isGuarded).apply(client, object));
    }

    public void delete(HasMetadata object) {
        client.resource(object).delete();
        written.deleted(object);
    }

    private <T extends HasMetadata> T recorded(T object) {
        written.stored(object);
        return object;
    }
}
