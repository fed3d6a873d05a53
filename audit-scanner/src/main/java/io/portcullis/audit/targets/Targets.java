package io.portcullis.audit.targets;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.portcullis.api.overlap.ResourcePattern;
import io.portcullis.audit.report.ReportKind;
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
 * The types whose objects a policy judges.
 *
 * @param types no two of the same objects
 * @param unknown what rules name and the API server does not serve: a typo, or a definition that is not installed
 * @param notAuditable what rules name and no list shows, such as subresources
 */
public record Targets(List<AuditedType> types, List<String> unknown, List<String> notAuditable) {

    private static final String ANY = "*";
    private static final Set<String> CREATION = Set.of(ANY, "CREATE");

    /** Reports on reports would grow for ever. */
    private static final Set<String> NEVER = Set.of(ReportKind.OPEN_REPORTS.group(), ReportKind.POLICY_REPORT.group());

    /** The API server asks no webhook about these. */
    private static final String EXEMPT_GROUP = "admissionregistration.k8s.io";

    /** Many, short-lived and never repaired: audited only where a rule names them. */
    private static final Set<AuditedType.Objects> ONLY_BY_NAME =
            Set.of(new AuditedType.Objects("", "events"), new AuditedType.Objects("events.k8s.io", "events"));

    public Targets {
        types = List.copyOf(types);
        unknown = List.copyOf(unknown);
        notAuditable = List.copyOf(notAuditable);
    }

    /** Rules without CREATE say nothing of objects that exist. */
    public static Targets of(List<RuleWithOperations> rules, ResourceTypeIndex catalogue) {
        Map<AuditedType.Objects, AuditedType> types = new LinkedHashMap<>();
        var unknown = new ArrayList<String>();
        var notAuditable = new ArrayList<String>();
        for (var rule : rules) {
            if (rule.getOperations().stream().noneMatch(CREATION::contains)) {
                continue;
            }
            for (var pattern : rule.getResources()) {
                var meant = ResourcePattern.parse(pattern);
                if (!meant.meansTheResourceItself()) {
                    notAuditable.add(pattern + ": subresources cannot be listed");
                    continue;
                }
                var resource = meant.main();
                for (var group : rule.getApiGroups()) {
                    var found = candidates(rule, group, resource, catalogue);
                    found.forEach(type ->
                            types.merge(type.objects(), type, (one, other) -> preferred(one, other, catalogue)));
                    if (found.isEmpty() && !group.equals(ANY) && !resource.equals(ANY)) {
                        explain(rule, group, resource, catalogue, unknown, notAuditable);
                    }
                }
            }
        }
        return new Targets(List.copyOf(types.values()), unknown, notAuditable);
    }

    private static Collection<AuditedType> candidates(
            RuleWithOperations rule, String group, String resource, ResourceTypeIndex catalogue) {
        Map<AuditedType.Objects, AuditedType> first = new LinkedHashMap<>();
        catalogue.types().stream()
                .filter(matches(group, resource))
                .filter(type -> isMeant(rule.getApiVersions(), type.version()))
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

    private static boolean isMeant(List<String> versions, String version) {
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
        return !NEVER.contains(type.group()) && !type.group().equals(EXEMPT_GROUP);
    }

    private static AuditedType preferred(AuditedType one, AuditedType other, ResourceTypeIndex catalogue) {
        return catalogue.types().indexOf(other) < catalogue.types().indexOf(one) ? other : one;
    }

    private static void explain(
            RuleWithOperations rule,
            String group,
            String resource,
            ResourceTypeIndex catalogue,
            List<String> unknown,
            List<String> notAuditable) {
        var name = Stream.of(group, resource).filter(part -> !part.isEmpty()).reduce((g, r) -> r + "." + g);
        var served = catalogue.types().stream().filter(matches(group, resource)).toList();
        if (catalogue.unreachable().contains(group)) {
            unknown.add(name.orElse("") + ": its API group cannot be reached");
        } else if (served.isEmpty()) {
            unknown.add(name.orElse("") + ": the API server serves no such resource that can be created and listed");
        } else if (served.stream().noneMatch(type -> isMeant(rule.getApiVersions(), type.version()))) {
            unknown.add(name.orElse("") + ": not served in " + String.join(", ", rule.getApiVersions()));
        } else if (served.stream().noneMatch(Targets::isAuditable)) {
            notAuditable.add(name.orElse("") + ": never audited");
        }
        // else its scope rules it out, as the API server would
    }
}
