package io.portcullis.server.cluster.revisions;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.condition.Transitions;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionSlots;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Writes the status slots of this server's two roles by server-side apply. Each write contains the whole slot and no fields
 * of other field managers. It uses an untyped object, because a typed one would claim ownership of every field that it
 * contains. Thread-safe.
 */
public final class StatusWriter implements RevisionStatuses {

    private static final String VERSION = PolicyKind.GROUP + "/" + PolicyKind.VERSION;
    private static final ResourceDefinitionContext TYPE = new ResourceDefinitionContext.Builder()
            .withGroup(PolicyKind.GROUP)
            .withVersion(PolicyKind.VERSION)
            .withKind("PolicyRevision")
            .withPlural("policyrevisions")
            .withNamespaced(true)
            .build();

    private final KubernetesClient client;
    private final Revisions revisions;
    private final String namespace;
    private final InstantSource clock;

    public StatusWriter(KubernetesClient client, Revisions revisions, String namespace, InstantSource clock) {
        this.client = client;
        this.revisions = revisions;
        this.namespace = namespace;
        this.clock = clock;
    }

    @Override
    public void writeReplica(ObservedRevision revision, int replica, Optional<Condition> ready) {
        var status = new LinkedHashMap<String, Object>();
        if (ready.isPresent()) {
            status.put("conditions", stamped(revision, List.of(ready.get())));
        }
        apply(revision.name(), null, RevisionSlots.replica(replica), status);
    }

    @Override
    public void writeLeader(ObservedRevision revision, LeaderSlot slot) {
        var status = new LinkedHashMap<String, Object>();
        status.put("conditions", stamped(revision, slot.conditions()));
        if (!slot.artifacts().isEmpty()) {
            status.put("artifacts", slot.artifacts());
        }
        status.put("leader", slot.leader());
        apply(revision.name(), revision.object().getMetadata().getResourceVersion(), RevisionSlots.LEADER, status);
    }

    private List<Condition> stamped(ObservedRevision revision, List<Condition> conditions) {
        return Transitions.stamp(conditions, revision.status().conditions(), clock.instant());
    }

    @Override
    public ObservedRevision newest(ObservedRevision revision) {
        return revisions.newest(revision);
    }

    @Override
    public Optional<ObservedRevision> read(String name) {
        var found = Optional.ofNullable(objects().withName(name).get()).map(this::typed);
        found.ifPresent(revisions::observe);
        return found;
    }

    private void apply(
            String name, @org.jspecify.annotations.Nullable String version, String slot, Map<String, Object> status) {
        var object = new GenericKubernetesResource();
        object.setApiVersion(VERSION);
        object.setKind("PolicyRevision");
        object.setMetadata(new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(namespace)
                .withResourceVersion(version)
                .build());
        object.setAdditionalProperty("status", status);
        var answer = objects()
                .resource(object)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .withFieldManager(slot)
                        .withForce(true)
                        .build());
        revisions.observe(typed(answer));
    }

    private NonNamespaceOperation<GenericKubernetesResource, ?, Resource<GenericKubernetesResource>> objects() {
        MixedOperation<GenericKubernetesResource, ?, Resource<GenericKubernetesResource>> all =
                client.genericKubernetesResources(TYPE);
        return all.inNamespace(namespace);
    }

    private ObservedRevision typed(GenericKubernetesResource object) {
        return new ObservedRevision(client.getKubernetesSerialization().convertValue(object, PolicyRevision.class));
    }
}
