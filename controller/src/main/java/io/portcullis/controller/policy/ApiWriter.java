package io.portcullis.controller.policy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.revision.RevisionSlots;
import io.portcullis.controller.cluster.StatusPatch;
import java.net.HttpURLConnection;

/** The ways in which we write. Every answer is remembered until the watches tell the same. */
final class ApiWriter {

    private static final int UNPROCESSABLE = 422;

    private final KubernetesClient client;
    private final PolicyObjects objects;

    ApiWriter(KubernetesClient client, PolicyObjects objects) {
        this.client = client;
        this.objects = objects;
    }

    static ObjectNode object() {
        return JsonNodeFactory.instance.objectNode();
    }

    static boolean isConflict(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_CONFLICT;
    }

    /** The API server does not like the content; trying again will not help. */
    static boolean isRefusal(KubernetesClientException failure) {
        return failure.getCode() == UNPROCESSABLE || failure.getCode() == HttpURLConnection.HTTP_BAD_REQUEST;
    }

    static boolean isMissing(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
    }

    /** Creates it; if it is already there, finds it. */
    <T extends HasMetadata> T create(T object) {
        try {
            return remember(client.resource(object).create());
        } catch (KubernetesClientException e) {
            var found = isConflict(e) ? client.resource(object).get() : null;
            if (found == null) {
                throw e;
            }
            return remember(found);
        }
    }

    /** Changes fields, if the object is still as it was when that was decided. */
    <T extends HasMetadata> T change(T object, ObjectNode change) {
        change.withObjectProperty("metadata")
                .put("resourceVersion", object.getMetadata().getResourceVersion());
        var patch = new PatchContext.Builder()
                .withPatchType(PatchType.JSON_MERGE)
                .withFieldManager(RevisionSlots.CONTROLLER)
                .build();
        return remember(client.resource(object).patch(patch, change.toString()));
    }

    /** Replaces whole parts, if the object is still as it was. */
    <T extends HasMetadata> T edit(T object, ArrayNode operations) {
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
        return remember(client.resource(object).patch(patch, guarded.toString()));
    }

    /** Applies an object of which we own every field that we set. */
    <T extends HasMetadata> T apply(T object) {
        return remember(client.resource(object)
                .fieldManager(RevisionSlots.CONTROLLER)
                .forceConflicts()
                .serverSideApply());
    }

    /** Applies our own slot of a status, complete. */
    <T extends HasMetadata> T applyStatus(T object, String slot, ObjectNode status) {
        return applyStatus(object, slot, status, false);
    }

    /** Applies a slot that others write too, or a process that we succeeded: only if nobody has written since. */
    <T extends HasMetadata> T applyStatusIfUnchanged(T object, String slot, ObjectNode status) {
        return applyStatus(object, slot, status, true);
    }

    private <T extends HasMetadata> T applyStatus(T object, String slot, ObjectNode status, boolean isGuarded) {
        return remember(new StatusPatch(slot, status, isGuarded).apply(client, object));
    }

    void delete(HasMetadata object) {
        client.resource(object).delete();
        objects.deleted(object);
    }

    private <T extends HasMetadata> T remember(T object) {
        objects.stored(object);
        return object;
    }
}
