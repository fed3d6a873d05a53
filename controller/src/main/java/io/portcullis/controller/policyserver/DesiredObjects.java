package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** What stands around the replicas of a policy server. */
final class DesiredObjects {

    private static final Quantity DEFAULT_CACHE_SIZE = new Quantity("2", "Gi");

    private DesiredObjects() {}

    /** What the pods' service account may do: read revisions, report on them, make a lease. */
    static RoleBinding roleBinding(ServerSpec blueprint) {
        return binding(blueprint, blueprint.names().roleBinding(), ServerNames.ROLE);
    }

    /** To elect a leader, by the server's own lease alone: those of others, and the controller's, are not its affair. */
    static Role leaseRole(ServerSpec blueprint) {
        var names = blueprint.names();
        return new RoleBuilder()
                .withMetadata(
                        blueprint.metadata(names.leaseRole(), names.common()).build())
                .addNewRule()
                .withApiGroups("coordination.k8s.io")
                .withResources("leases")
                .withResourceNames(names.lease())
                .withVerbs("get", "patch", "update")
                .endRule()
                .build();
    }

    static RoleBinding leaseRoleBinding(ServerSpec blueprint) {
        var name = blueprint.names().leaseRole();
        return binding(blueprint, name, name);
    }

    private static RoleBinding binding(ServerSpec blueprint, String name, String role) {
        return new RoleBindingBuilder()
                .withMetadata(
                        blueprint.metadata(name, blueprint.names().common()).build())
                .withNewRoleRef()
                .withApiGroup("rbac.authorization.k8s.io")
                .withKind("Role")
                .withName(role)
                .endRoleRef()
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(blueprint.serviceAccount())
                .withNamespace(blueprint.settings().namespace())
                .endSubject()
                .build();
    }

    static ConfigMap configMap(ServerSpec blueprint) {
        var names = blueprint.names();
        return new ConfigMapBuilder()
                .withMetadata(blueprint
                        .metadata(names.main(), names.workload(Map.of()))
                        .build())
                .withData(
                        Map.of(SourcesFile.NAME, SourcesFile.of(blueprint.spec().sources())))
                .build();
    }

    /** A volume for all replicas, unless each has its own or the user brings one. */
    static Optional<PersistentVolumeClaim> cacheClaim(ServerSpec blueprint) {
        var names = blueprint.names();
        var cache = blueprint.spec().serving().cache();
        if (cache == null || !cache.isShared() || ServerSpec.isSet(cache.claimName())) {
            return Optional.empty();
        }
        return Optional.of(new PersistentVolumeClaimBuilder()
                .withMetadata(
                        blueprint.metadata(names.cacheClaim(), names.common()).build())
                .withNewSpec()
                .withAccessModes("ReadWriteMany")
                .withStorageClassName(cache.storageClassName())
                .withNewResources()
                .withRequests(Map.of("storage", Objects.requireNonNullElse(cache.size(), DEFAULT_CACHE_SIZE)))
                .endResources()
                .endSpec()
                .build());
    }

    /**
     * As asked for. By default one of several replicas at a time; a single one stays until a second one is ready, see
     * {@link Surge}.
     */
    static Optional<PodDisruptionBudget> disruptionBudget(ServerSpec blueprint) {
        var names = blueprint.names();
        var fleet = blueprint.spec().fleet();
        var isSingle = fleet.replicas() == 1;
        var isSilent = fleet.minAvailable() == null && fleet.maxUnavailable() == null;
        if (isSilent && fleet.replicas() == 0) {
            return Optional.empty();
        }
        return Optional.of(new PodDisruptionBudgetBuilder()
                .withMetadata(blueprint.metadata(names.main(), names.common()).build())
                .withNewSpec()
                .withMinAvailable(isSilent && isSingle ? new IntOrString(1) : fleet.minAvailable())
                .withMaxUnavailable(isSilent && !isSingle ? new IntOrString(1) : fleet.maxUnavailable())
                .withNewSelector()
                .withMatchLabels(names.selector())
                .endSelector()
                .endSpec()
                .build());
    }
}
