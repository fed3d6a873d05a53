package io.portcullis.controller.policyserver;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.policyserver.PolicyServerStatus;
import io.portcullis.controller.cluster.StatusPatch;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.controller.policyserver.status.ServerEventDrafts;
import io.portcullis.process.kubernetes.EventWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes the status and finalizer of PolicyServers. Each write carries the observed resourceVersion, so that stale data
 * causes neither a write nor an Event.
 */
final class ServerWriter {

    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final List<String> FINALIZERS = List.of(PolicyNames.FINALIZER, PolicyNames.LEGACY_FINALIZER);
    private static final PatchContext METADATA = new PatchContext.Builder()
            .withPatchType(PatchType.JSON_MERGE)
            .withFieldManager(ServerNames.FIELD_MANAGER)
            .build();

    private final KubernetesClient client;
    private final EventWriter events;

    ServerWriter(KubernetesClient client, EventWriter events) {
        this.client = client;
        this.events = events;
    }

    /** Writes the status if it changed, then records Events about the difference. */
    void report(PolicyServer server, PolicyServerStatus status, List<String> ignoredEnv) {
        if (server.getStatus() != null && status.equals(server.getStatus().withoutPolicies())) {
            return;
        }
        new StatusPatch(ServerNames.FIELD_MANAGER, MAPPER.valueToTree(status), true).apply(client, server);
        ServerEventDrafts.between(server, status, ignoredEnv)
                .forEach(draft -> events.write(server, draft.isWarning(), draft.reason(), draft.message()));
    }

    /**
     * Adds the finalizer. Normally admission does this; the call covers a server that was created while admission was
     * down.
     */
    void addFinalizer(PolicyServer server) {
        var finalizers = new ArrayList<>(server.getMetadata().getFinalizers());
        finalizers.add(PolicyNames.FINALIZER);
        setFinalizers(server, finalizers);
    }

    /** Whether the object has our finalizer, or that of an earlier release. */
    boolean hasFinalizer(PolicyServer server) {
        return server.getMetadata().getFinalizers().stream().anyMatch(FINALIZERS::contains);
    }

    void removeFinalizers(PolicyServer server) {
        setFinalizers(
                server,
                server.getMetadata().getFinalizers().stream()
                        .filter(finalizer -> !FINALIZERS.contains(finalizer))
                        .toList());
    }

    private void setFinalizers(PolicyServer server, List<String> finalizers) {
        var patch = identity(server);
        var list = patch.withObject("/metadata").putArray("finalizers");
        finalizers.forEach(list::add);
        client.resources(PolicyServer.class)
                .withName(server.getMetadata().getName())
                .patch(METADATA, patch.toString());
    }

    private static ObjectNode identity(PolicyServer server) {
        var patch = MAPPER.createObjectNode()
                .put("apiVersion", PolicyKind.GROUP + "/" + PolicyKind.VERSION)
                .put("kind", ServerSpec.KIND);
        patch.putObject("metadata")
                .put("name", server.getMetadata().getName())
                .put("uid", server.getMetadata().getUid())
                .put("resourceVersion", server.getMetadata().getResourceVersion());
        return patch;
    }
}
