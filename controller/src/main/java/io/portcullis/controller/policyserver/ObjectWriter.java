package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.Objects;
import java.util.Optional;

/** Writes the objects of policy servers, and only when they are not as they should be. */
final class ObjectWriter {

    private final KubernetesClient client;

    ObjectWriter(KubernetesClient client) {
        this.client = client;
    }

    /** Makes the object, or brings back what was changed. */
    <T extends HasMetadata> void apply(T desired, Optional<T> live) {
        var stamped = Applied.stamped(desired);
        if (live.isEmpty() || !Applied.isIntact(stamped, live.get())) {
            client.resource(stamped)
                    .fieldManager(ServerNames.FIELD_MANAGER)
                    .forceConflicts()
                    .serverSideApply();
        }
    }

    /** Makes, repairs or removes; what somebody else made under our name is not removed. */
    <T extends HasMetadata> void applyOrRemove(Optional<T> desired, Optional<T> live, String ownerUid) {
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
