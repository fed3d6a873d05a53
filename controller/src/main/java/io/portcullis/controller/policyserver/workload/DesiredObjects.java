package io.portcullis.controller.policyserver.workload;

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
import io.portcullis.controller.policyserver.rollout.Surge;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** The desired objects around the replicas of a policy server. */
public final class DesiredObjects {

    private static final Quantity DEFAULT_CACHE_SIZE = new Quantity("2", "Gi");

    private DesiredObjects() {}

    /** The permissions of the pods' service account: read revisions, report on them, create a lease. */
    public static RoleBinding roleBinding(ServerSpec serverSpec) {
        return binding(serverSpec, serverSpec.names().roleBinding(), ServerNames.ROLE);
    }

    /**
     * The permission to elect a leader. It covers only the server's own lease, not those of other servers or the
     * controller.
     */
    public static Role leaseRole(ServerSpec serverSpec) {
        var names = serverSpec.names();
        return new RoleBuilder()
                .withMetadata(
                        serverSpec.metadata(names.leaseRole(), names.common()).build())
                .addNewRule()
                .withApiGroups("coordination.k8s.io")
                .withResources("leases")
                .withResourceNames(names.lease())
                .withVerbs("get", "patch", "update")
                .endRule()
                .build();
    }

    public static RoleBinding leaseRoleBinding(ServerSpec serverSpec) {
        var name = serverSpec.names().leaseRole();
        return binding(serverSpec, name, name);
    }

    private static RoleBinding binding(ServerSpec serverSpec, String name, String role) {
        return new RoleBindingBuilder()
                .withMetadata(
                        serverSpec.metadata(name, serverSpec.names().common()).build())
                .withNewRoleRef()
                .withApiGroup("rbac.authorization.k8s.io")
                .withKind("Role")
                .withName(role)
                .endRoleRef()
                .addNewSubject()
                .withKind("ServiceAccount")
                .withName(serverSpec.serviceAccount())
                .withNamespace(serverSpec.settings().namespace())
                .endSubject()
                .build();
    }

    public static ConfigMap configMap(ServerSpec serverSpec, SourceAuthorities authorities) {
        var names = serverSpec.names();
        return new ConfigMapBuilder()
                .withMetadata(serverSpec
                        .metadata(names.main(), names.workload(Map.of()))
                        .build())
                .withData(Map.of(
                        SourcesFile.NAME,
                        SourcesFile.of(serverSpec.spec().sources().insecureSources(), authorities.byHost())))
                .build();
    }

    /** A volume for all replicas, unless each replica has its own or the user provides one. */
    public static Optional<PersistentVolumeClaim> cacheClaim(ServerSpec serverSpec) {
        var names = serverSpec.names();
        var cache = serverSpec.spec().serving().cache();
        if (cache == null || !cache.isShared() || ServerSpec.isSet(cache.claimName())) {
            return Optional.empty();
        }
        return Optional.of(new PersistentVolumeClaimBuilder()
                .withMetadata(
                        serverSpec.metadata(names.cacheClaim(), names.common()).build())
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
     * The budget from the spec. By default one of several replicas may be down at a time; a single replica stays until
     * a second one is ready, see {@link Surge}.
     */
    public static Optional<PodDisruptionBudget> disruptionBudget(ServerSpec serverSpec) {
        var names = serverSpec.names();
        var fleet = serverSpec.spec().fleet();
        var isSingle = fleet.replicas() == 1;
        var isUnset = fleet.minAvailable() == null && fleet.maxUnavailable() == null;
        if (isUnset && fleet.replicas() == 0) {
            return Optional.empty();
        }
        return Optional.of(new PodDisruptionBudgetBuilder()
                .withMetadata(serverSpec.metadata(names.main(), names.common()).build())
                .withNewSpec()
                .withMinAvailable(isUnset && isSingle ? new IntOrString(1) : fleet.minAvailable())
                .withMaxUnavailable(isUnset && !isSingle ? new IntOrString(1) : fleet.maxUnavailable())
                .withNewSelector()
                .withMatchLabels(names.selector())
                .endSelector()
                .endSpec()
                .build());
    }
}
