package io.portcullis.audit.scan;

import io.portcullis.audit.policy.AuditedPolicy;
import io.portcullis.audit.policy.PolicyInventory;
import io.portcullis.audit.policy.PolicyInventory.LeftOut;
import io.portcullis.audit.targets.AuditScope;
import io.portcullis.audit.targets.AuditedType;
import io.portcullis.audit.targets.ResourceTypeIndex;
import io.portcullis.audit.targets.Targets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Assigns policies to object types.
 *
 * @param work cluster-scoped types first
 * @param skipped policies without applicable objects, including those that the inventory skipped
 * @param errored policies that cannot be called, including those that the inventory found invalid
 * @param warnings parts of rules that cannot be audited; the rest of these policies is audited
 */
public record ScanPlan(List<Work> work, List<LeftOut> skipped, List<LeftOut> errored, List<LeftOut> warnings) {

    /** A policy and the object version that it requires. */
    public record Assignment(AuditedPolicy policy, AuditedType type) {}

    /**
     * Objects of one type, listed once for all their policies.
     *
     * @param type the version to list
     */
    public record Work(AuditedType type, List<Assignment> assignments) {

        public Work {
            assignments = List.copyOf(assignments);
        }
    }

    public ScanPlan {
        work = List.copyOf(work);
        skipped = List.copyOf(skipped);
        errored = List.copyOf(errored);
        warnings = List.copyOf(warnings);
    }

    public static ScanPlan of(PolicyInventory inventory, ResourceTypeIndex typeIndex, AuditScope scope) {
        Map<AuditedType.Objects, List<Assignment>> assignments = new LinkedHashMap<>();
        var skipped = new ArrayList<>(inventory.skipped());
        var errored = new ArrayList<>(inventory.errored());
        var warnings = new ArrayList<LeftOut>();
        for (var policy : inventory.audited()) {
            var targets = Targets.of(policy.webhook().requests().rules(), typeIndex);
            targets.unknown().forEach(reason -> warnings.add(new LeftOut(policy.ref(), reason)));
            targets.notAuditable().forEach(reason -> warnings.add(new LeftOut(policy.ref(), reason)));
            if (targets.types().isEmpty()) {
                var reason = "none of its rules names objects that can be audited";
                (targets.unknown().isEmpty() ? skipped : errored).add(new LeftOut(policy.ref(), reason));
            }
            targets.types().stream()
                    .filter(type -> scope.includes(type)
                            && (type.isNamespaced() || !policy.ref().kind().isNamespaced()))
                    .forEach(type -> assignments
                            .computeIfAbsent(type.objects(), _ -> new ArrayList<>())
                            .add(new Assignment(policy, type)));
        }
        return new ScanPlan(work(assignments, typeIndex), skipped, errored, warnings);
    }

    /** Returns the number of policies with at least one assigned type. */
    long policies() {
        return work.stream()
                .flatMap(one -> one.assignments().stream())
                .map(assignment -> assignment.policy().id())
                .distinct()
                .count();
    }

    /** Builds the work list. Lists each type in the requested version that the API server prefers most. */
    private static List<Work> work(
            Map<AuditedType.Objects, List<Assignment>> assignments, ResourceTypeIndex typeIndex) {
        var clusterScoped = new ArrayList<Work>();
        var namespaced = new ArrayList<Work>();
        for (var type : typeIndex.types()) {
            var assigned = assignments.getOrDefault(type.objects(), List.of());
            if (assigned.stream().anyMatch(assignment -> assignment.type().equals(type))) {
                assignments.remove(type.objects());
                (type.isNamespaced() ? namespaced : clusterScoped).add(new Work(type, assigned));
            }
        }
        clusterScoped.addAll(namespaced);
        return clusterScoped;
    }
}
