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
 * Which objects are judged by which policies.
 *
 * @param work types outside of namespaces first
 * @param skipped policies that have nothing to say, with those that the inventory skipped
 * @param errored policies that cannot be asked, with those that the inventory found broken
 * @param warnings parts of rules that mean nothing here; the rest of those policies is audited
 */
public record ScanPlan(List<Work> work, List<LeftOut> skipped, List<LeftOut> errored, List<LeftOut> warnings) {

    /** A policy, and the version in which it wants to see the objects. */
    public record Assignment(AuditedPolicy policy, AuditedType type) {}

    /**
     * Objects of one type, listed once for all their policies.
     *
     * @param type the version that is listed
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

    public static ScanPlan of(PolicyInventory inventory, ResourceTypeIndex catalogue, AuditScope scope) {
        Map<AuditedType.Objects, List<Assignment>> assignments = new LinkedHashMap<>();
        var skipped = new ArrayList<>(inventory.skipped());
        var errored = new ArrayList<>(inventory.errored());
        var warnings = new ArrayList<LeftOut>();
        for (var policy : inventory.audited()) {
            var targets = Targets.of(policy.webhook().rules(), catalogue);
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
        return new ScanPlan(work(assignments, catalogue), skipped, errored, warnings);
    }

    /** How many have something to judge. */
    long policies() {
        return work.stream()
                .flatMap(one -> one.assignments().stream())
                .map(assignment -> assignment.policy().id())
                .distinct()
                .count();
    }

    /** The version that the API server prefers among those asked for is the one to list. */
    private static List<Work> work(
            Map<AuditedType.Objects, List<Assignment>> assignments, ResourceTypeIndex catalogue) {
        var outside = new ArrayList<Work>();
        var inside = new ArrayList<Work>();
        for (var type : catalogue.types()) {
            var wanted = assignments.getOrDefault(type.objects(), List.of());
            if (wanted.stream().anyMatch(assignment -> assignment.type().equals(type))) {
                assignments.remove(type.objects());
                (type.isNamespaced() ? inside : outside).add(new Work(type, wanted));
            }
        }
        outside.addAll(inside);
        return outside;
    }
}
