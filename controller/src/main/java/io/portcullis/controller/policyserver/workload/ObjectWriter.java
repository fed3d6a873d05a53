package io.portcullis.controller.policyserver.workload;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.util.Objects;
import java.util.Optional;

/** Writes the objects of policy servers, but only when they differ from the desired state. */
public final class ObjectWriter {

    private final KubernetesClient client;

    public ObjectWriter(KubernetesClient client) {
        this.client = client;
    }

    /** Creates the object, or repairs drift. */
    public <T extends HasMetadata> void apply(T desired, Optional<T> live) {
        var stamped = Applied.stamped(desired);
        if (live.isEmpty() || !Applied.isIntact(stamped, live.get())) {
            client.resource(stamped)
                    .fieldManager(ServerNames.FIELD_MANAGER)
                    .forceConflicts()
                    .serverSideApply();
        }
    }

    /** Creates, repairs or deletes the object; does not delete an object that has our name but another owner. */
    public <T extends HasMetadata> void applyOrRemove(Optional<T> desired, Optional<T> live, String ownerUid) {
        if (desired.isPresent()) {
            apply(desired.get(), live);
        } else {
            live.filter(object -> object.getMetadata().getDeletionTimestamp() == null
                            && object.getMetadata().getOwnerReferences().stream()
                                    .anyMatch(owner -> Objects.equals(owner.getUid(), ownerUid)))
                    .ifPresent(object -> client.resource(object).delete());
        }
    }
}
