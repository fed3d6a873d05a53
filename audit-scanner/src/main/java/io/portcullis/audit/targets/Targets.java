package io.portcullis.audit.targets;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.portcullis.core.overlap.ResourcePattern;
import io.portcullis.matching.AdmissionAttributes;
import io.portcullis.matching.RuleMatcher;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The resource types that a policy's rules match.
 *
 * @param types at most one version per resource
 * @param unknown resources in rules that the API server does not serve: a typo, or a CRD that is not installed
 * @param notAuditable resources in rules that cannot be listed, such as subresources
 */
public record Targets(List<AuditedType> types, List<String> unknown, List<String> notAuditable) {

    private static final String ANY = "*";

    /** Groups of reports, because reports on reports would grow without limit, and the group without webhooks. */
    private static final Set<String> EXCLUDED_GROUPS =
            Set.of("openreports.io", "wgpolicyk8s.io", AdmissionAttributes.EXEMPT_GROUP);

    /** Numerous, short-lived and never fixed: audited only if a rule names them. */
    private static final Set<AuditedType.Objects> ONLY_BY_NAME =
            Set.of(new AuditedType.Objects("", "events"), new AuditedType.Objects("events.k8s.io", "events"));

    public Targets {
        types = List.copyOf(types);
        unknown = List.copyOf(unknown);
        notAuditable = List.copyOf(notAuditable);
    }

    /** Resolves rules to types. Ignores rules without CREATE, because existing objects are evaluated as creations. */
    public static Targets of(List<RuleWithOperations> rules, ResourceTypeIndex typeIndex) {
        Map<AuditedType.Objects, AuditedType> types = new LinkedHashMap<>();
        var unknown = new ArrayList<String>();
        var notAuditable = new ArrayList<String>();
        for (var rule : rules) {
            if (!new RuleMatcher(rule).matchesOperation("CREATE")) {
                continue;
            }
            for (var pattern : rule.getResources()) {
                var parsed = ResourcePattern.parse(pattern);
                if (!parsed.matchesResourceItself()) {
                    notAuditable.add(pattern + ": subresources cannot be listed");
                    continue;
                }
                var resource = parsed.main();
                for (var group : rule.getApiGroups()) {
                    var part = new RuleMatcher(new RuleWithOperationsBuilder(rule)
                            .withApiGroups(group)
                            .withResources(pattern)
                            .build());
                    var found = candidates(part, resource, typeIndex);
                    found.forEach(type ->
                            types.merge(type.objects(), type, (one, other) -> preferred(one, other, typeIndex)));
                    if (found.isEmpty() && !group.equals(ANY) && !resource.equals(ANY)) {
                        explain(part, group, resource, typeIndex, unknown, notAuditable);
                    }
                }
            }
        }
        return new Targets(List.copyOf(types.values()), unknown, notAuditable);
    }

    private static Collection<AuditedType> candidates(RuleMatcher part, String resource, ResourceTypeIndex typeIndex) {
        Map<AuditedType.Objects, AuditedType> first = new LinkedHashMap<>();
        typeIndex.types().stream()
                .filter(type -> matches(part, type)
                        && part.matchesVersion(type.version())
                        && part.matchesScope(type.isNamespaced()))
                .filter(type -> isAuditable(type)
                        && (!ONLY_BY_NAME.contains(type.objects()) || resource.equals(type.resource())))
                .forEach(type -> first.putIfAbsent(type.objects(), type));
        return first.values();
    }

    private static boolean matches(RuleMatcher part, AuditedType type) {
        return part.matchesGroup(type.group()) && part.matchesResource(new ResourcePattern(type.resource(), ""));
    }

    private static boolean isAuditable(AuditedType type) {
        return !EXCLUDED_GROUPS.contains(type.group());
    }

    private static AuditedType preferred(AuditedType one, AuditedType other, ResourceTypeIndex typeIndex) {
        return typeIndex.types().indexOf(other) < typeIndex.types().indexOf(one) ? other : one;
    }

    private static void explain(
            RuleMatcher part,
            String group,
            String resource,
            ResourceTypeIndex typeIndex,
            List<String> unknown,
            List<String> notAuditable) {
        var name = Stream.of(group, resource).filter(word -> !word.isEmpty()).reduce((g, r) -> r + "." + g);
        var served =
                typeIndex.types().stream().filter(type -> matches(part, type)).toList();
        if (typeIndex.unreachable().contains(group)) {
            unknown.add(name.orElse("") + ": its API group cannot be reached");
        } else if (served.isEmpty()) {
            unknown.add(name.orElse("") + ": the API server serves no such resource that can be created and listed");
        } else if (served.stream().noneMatch(type -> part.matchesVersion(type.version()))) {
            unknown.add(name.orElse("") + ": not served in "
                    + String.join(", ", part.rule().getApiVersions()));
        } else if (served.stream().noneMatch(Targets::isAuditable)) {
            notAuditable.add(name.orElse("") + ": never audited");
        }
        // Otherwise the rule's scope excludes it, as in the API server.
    }
}
