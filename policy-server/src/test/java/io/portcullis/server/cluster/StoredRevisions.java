package io.portcullis.server.cluster;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.condition.Condition;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.revision.DesiredRevision;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.PolicyRevisionSpec;
import io.portcullis.api.revision.PolicyRevisionStatus;
import io.portcullis.server.cluster.revisions.ObservedRevision;
import io.portcullis.server.cluster.revisions.RevisionStatuses;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Stores revisions in memory like an API server: every write creates a new version, and a write based on an old version is a
 * conflict.
 */
public final class StoredRevisions implements RevisionStatuses {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final Map<String, ObservedRevision> stored = new ConcurrentHashMap<>();
    private final Set<String> changed = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Runnable> beforeWrite = new AtomicReference<>(() -> {});

    /** Creates a revision of policy {@code p} with an empty status. */
    public ObservedRevision create(long generation, String module) {
        try {
            var policy = new ClusterAdmissionPolicy();
            policy.setMetadata(new ObjectMetaBuilder()
                    .withName("p")
                    .withUid("uid")
                    .withGeneration(generation)
                    .build());
            policy.setSpec((ObjectNode) JSON.readTree("""
                {"policyServer": "s", "module": "%s", "settings": {}, "mutating": false,
                 "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}]}
                """.formatted(module)));
            var object = new DesiredRevision(IdentityScheme.DOTTED, "kubewarden").of(policy);
            object.getMetadata().setResourceVersion("1");
            return store(object);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes the status, without a check of the version. */
    public ObservedRevision write(ObservedRevision revision, PolicyRevisionStatus status) {
        var now = read(revision.name()).orElseThrow().object();
        var next = new PolicyRevision();
        next.setMetadata(new ObjectMetaBuilder(now.getMetadata())
                .withResourceVersion(
                        Long.toString(Long.parseLong(now.getMetadata().getResourceVersion()) + 1))
                .build());
        next.setSpec(now.getSpec());
        next.setStatus(status);
        return store(next);
    }

    /** The controller moves a webhook to this revision. */
    public void activate(ObservedRevision revision) {
        var now = read(revision.name()).orElseThrow().object();
        var spec = now.getSpec();
        var next = new PolicyRevision();
        next.setMetadata(now.getMetadata());
        next.setSpec(new PolicyRevisionSpec(
                spec.objectReference(),
                spec.policyGeneration(),
                spec.policyID(),
                spec.enabled(),
                true,
                spec.data(),
                spec.dataHash(),
                spec.pinnedArtifacts(),
                spec.rollbackOf()));
        next.setStatus(now.getStatus());
        store(next);
    }

    private ObservedRevision store(PolicyRevision object) {
        var revision = new ObservedRevision(object);
        stored.put(revision.name(), revision);
        changed.add(revision.name());
        return revision;
    }

    public void delete(ObservedRevision revision) {
        stored.remove(revision.name());
        changed.add(revision.name());
    }

    /** Returns the revisions that changed since the last call. */
    public Map<String, Optional<ObservedRevision>> changed() {
        var news = new HashMap<String, Optional<ObservedRevision>>();
        for (var name : Set.copyOf(changed)) {
            changed.remove(name);
            news.put(name, read(name));
        }
        return news;
    }

    /** Runs an action once, before the next write. */
    public void beforeNextWrite(Runnable fault) {
        beforeWrite.set(fault);
    }

    /** Returns the stored conditions as type, replica and reason. */
    public List<String> conditions(ObservedRevision revision) {
        return read(revision.name()).orElseThrow().status().conditions().stream()
                .map(each -> each.type() + each.replica() + "=" + each.reason())
                .toList();
    }

    @Override
    public void writeReplica(ObservedRevision revision, int replica, Optional<Condition> ready) {
        beforeWrite.getAndSet(() -> {}).run();
        var status = read(revision.name()).orElseThrow().status();
        var conditions = new ArrayList<>(status.conditions());
        conditions.removeIf(each -> each.replica() == replica);
        ready.ifPresent(conditions::add);
        write(
                revision,
                new PolicyRevisionStatus(conditions, status.artifacts(), status.leader(), null, null, null, null));
    }

    @Override
    public void writeLeader(ObservedRevision revision, LeaderSlot slot) {
        beforeWrite.getAndSet(() -> {}).run();
        var now = read(revision.name()).orElseThrow();
        if (!now.object()
                .getMetadata()
                .getResourceVersion()
                .equals(revision.object().getMetadata().getResourceVersion())) {
            throw new KubernetesClientException("the object has been modified", 409, null);
        }
        var conditions = new ArrayList<>(now.status().conditions());
        conditions.removeIf(each -> each.replica() == Condition.NO_REPLICA);
        conditions.addAll(slot.conditions());
        write(revision, new PolicyRevisionStatus(conditions, slot.artifacts(), slot.leader(), null, null, null, null));
    }

    @Override
    public ObservedRevision newest(ObservedRevision revision) {
        return revision;
    }

    @Override
    public Optional<ObservedRevision> read(String name) {
        return Optional.ofNullable(stored.get(name));
    }
}
