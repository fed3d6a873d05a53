package io.portcullis.audit.targets;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.audit.report.ReportKind;
import io.portcullis.core.overlap.ResourcePattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The resource types that a policy's rules match.
 *
 * @param types at most one version per resource
 * @param unknown resources in rules that the API server does not serve: a typo, or a CRD that is not installed
 * @param notAuditable resources in rules that cannot be listed, such as subresources
 */
public record Targets(List<AuditedType> types, List<String> unknown, List<String> notAuditable) {

    private static final String ANY = "*";
    private static final Set<String> CREATION = Set.of(ANY, "CREATE");

    /** Excluded, because reports on reports would grow without limit. */
    private static final Set<String> EXCLUDED_GROUPS =
            Set.of(ReportKind.OPEN_REPORTS.group(), ReportKind.POLICY_REPORT.group());

    /** The API server calls no webhooks for this group. */
    private static final String EXEMPT_GROUP = "admissionregistration.k8s.io";

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
            if (rule.getOperations().stream().noneMatch(CREATION::contains)) {
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
                    var found = candidates(rule, group, resource, typeIndex);
                    found.forEach(type ->
                            types.merge(type.objects(), type, (one, other) -> preferred(one, other, typeIndex)));
                    if (found.isEmpty() && !group.equals(ANY) && !resource.equals(ANY)) {
                        explain(rule, group, resource, typeIndex, unknown, notAuditable);
                    }
                }
            }
        }
        return new Targets(List.copyOf(types.values()), unknown, notAuditable);
    }

    private static Collection<AuditedType> candidates(
            RuleWithOperations rule, String group, String resource, ResourceTypeIndex typeIndex) {
        Map<AuditedType.Objects, AuditedType> first = new LinkedHashMap<>();
        typeIndex.types().stream()
                .filter(matches(group, resource))
                .filter(type -> versionMatches(rule.getApiVersions(), type.version()))
                .filter(type -> scopeAllows(rule.getScope(), type))
                .filter(type -> isAuditable(type)
                        && (!ONLY_BY_NAME.contains(type.objects()) || resource.equals(type.resource())))
                .forEach(type -> first.putIfAbsent(type.objects(), type));
        return first.values();
    }

    private static Predicate<AuditedType> matches(String group, String resource) {
        return type -> (group.equals(ANY) || group.equals(type.group()))
                && (resource.equals(ANY) || resource.equals(type.resource()));
    }

    private static boolean versionMatches(List<String> versions, String version) {
        return versions.contains(ANY) || versions.contains(version);
    }

    private static boolean scopeAllows(@Nullable String scope, AuditedType type) {
        return switch (Objects.requireNonNullElse(scope, ANY)) {
            case "Cluster" -> !type.isNamespaced();
            case "Namespaced" -> type.isNamespaced();
            default -> true;
        };
    }

    private static boolean isAuditable(AuditedType type) {
        return !EXCLUDED_GROUPS.contains(type.group()) && !type.group().equals(EXEMPT_GROUP);
    }

    private static AuditedType preferred(AuditedType one, AuditedType other, ResourceTypeIndex typeIndex) {
        return typeIndex.types().indexOf(other) < typeIndex.types().indexOf(one) ? other : one;
    }

    private static void explain(
            RuleWithOperations rule,
            String group,
            String resource,
            ResourceTypeIndex typeIndex,
            List<String> unknown,
            List<String> notAuditable) {
        var name = Stream.of(group, resource).filter(part -> !part.isEmpty()).reduce((g, r) -> r + "." + g);
        var served = typeIndex.types().stream().filter(matches(group, resource)).toList();
        if (typeIndex.unreachable().contains(group)) {
            unknown.add(name.orElse("") + ": its API group cannot be reached");
        } else if (served.isEmpty()) {
            unknown.add(name.orElse("") + ": the API server serves no such resource that can be created and listed");
        } else if (served.stream().noneMatch(type -> versionMatches(rule.getApiVersions(), type.version()))) {
            unknown.add(name.orElse("") + ": not served in " + String.join(", ", rule.getApiVersions()));
        } else if (served.stream().noneMatch(Targets::isAuditable)) {
            notAuditable.add(name.orElse("") + ": never audited");
        }
        // Otherwise the rule's scope excludes it, as in the API server.
    }
}
