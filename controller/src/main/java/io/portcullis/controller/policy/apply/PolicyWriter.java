package io.portcullis.controller.policy.apply;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policy.PolicyStatus;
import io.portcullis.api.revision.RevisionSlots;
import io.portcullis.controller.cluster.ApiWriter;
import java.util.ArrayList;
import java.util.List;

/** Writes policies: their finalizer, their status, and, for a rollback only, their spec. */
public final class PolicyWriter {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final String ANNOTATIONS = "/metadata/annotations/";

    private final ApiWriter api;

    public PolicyWriter(ApiWriter api) {
        this.api = api;
    }

    void addFinalizer(Policy policy) {
        var finalizers = new ArrayList<>(policy.getFinalizers());
        finalizers.add(PolicyNames.FINALIZER);
        setFinalizers(policy, finalizers);
    }

    void removeFinalizer(Policy policy) {
        var finalizers = new ArrayList<>(policy.getFinalizers());
        finalizers.removeAll(List.of(PolicyNames.FINALIZER, PolicyNames.LEGACY_FINALIZER));
        setFinalizers(policy, finalizers);
    }

    private void setFinalizers(Policy policy, List<String> finalizers) {
        var change = ApiWriter.object();
        change.withObjectProperty("metadata").set("finalizers", MAPPER.valueToTree(finalizers));
        api.change(policy, change);
    }

    public Policy applyStatus(Policy policy, PolicyStatus status) {
        return api.applyStatusIfUnchanged(policy, RevisionSlots.CONTROLLER, MAPPER.<ObjectNode>valueToTree(status));
    }

    /**
     * Rolls back in one update: restores the old spec, removes the request, and annotates which generation was
     * restored.
     */
    Policy rollBack(Policy policy, ObjectNode spec, String note) {
        var operations = JsonNodeFactory.instance.arrayNode();
        operations.addObject().put("op", "replace").put("path", "/spec").set("value", spec);
        operations.addObject().put("op", "remove").put("path", ANNOTATIONS + pointer(PolicyNames.ROLLBACK_TO));
        operations
                .addObject()
                .put("op", "add")
                .put("path", ANNOTATIONS + pointer(PolicyNames.ROLLED_BACK))
                .put("value", note);
        return api.edit(policy, operations);
    }

    Policy dropRollbackRequest(Policy policy) {
        var change = ApiWriter.object();
        change.withObjectProperty("metadata").withObjectProperty("annotations").putNull(PolicyNames.ROLLBACK_TO);
        return api.change(policy, change);
    }

    private static String pointer(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
