package io.portcullis.evaluator.group;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.PolicyLoader.ModuleBytes;
import io.portcullis.evaluator.group.expression.GroupExpression;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Decides whether the members of a group are made for the same resources.
 *
 * <p>Compares API groups and resources of the rules that the members declare in their metadata, with the rules of the
 * group if there are any. Ignores versions and operations, because the API server converts versions, and policies often
 * declare fewer operations than they can evaluate. A subresource counts as its resource. In doubt the members fit: a
 * member without rules is made for everything, and so is one with too many.
 */
public final class GroupTargets {

    /** Rules come from modules, so comparing them must not take long. */
    static final int MAX_RESOURCES = 200;

    private static final int MAX_SHOWN = 4;
    private static final int MAX_SHOWN_LENGTH = 80;
    private static final String ANY = "*";

    /** A pattern: {@code *} means every API group or every resource. */
    private record Resource(String apiGroup, String name) {

        Optional<Resource> meet(Resource other) {
            var group = meet(apiGroup, other.apiGroup);
            var resource = meet(name, other.name);
            return group.isPresent() && resource.isPresent()
                    ? Optional.of(new Resource(group.get(), resource.get()))
                    : Optional.empty();
        }

        boolean covers(Resource other) {
            return covers(apiGroup, other.apiGroup) && covers(name, other.name);
        }

        private static Optional<String> meet(String left, String right) {
            if (left.equals(ANY)) {
                return Optional.of(right);
            }
            return right.equals(ANY) || right.equals(left) ? Optional.of(left) : Optional.empty();
        }

        private static boolean covers(String pattern, String other) {
            return pattern.equals(ANY) || pattern.equals(other);
        }

        String text() {
            var text = apiGroup.isEmpty() ? name : name + "." + apiGroup;
            var clean = text.codePoints()
                    .limit(MAX_SHOWN_LENGTH)
                    .map(each -> Character.isISOControl(each) ? ' ' : each)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append);
            return clean.toString();
        }
    }

    private static final Set<Resource> EVERYTHING = Set.of(new Resource(ANY, ANY));

    private final Optional<Set<Resource>> group;
    private final Map<String, Set<Resource>> members;

    private GroupTargets(Optional<Set<Resource>> group, Map<String, Set<Resource>> members) {
        this.group = group;
        this.members = members;
    }

    /**
     * @param groupRules the rules of the group; empty if its definition has none, as in {@code policies.yml}
     * @param declared the rules that the members of the expression declare, in the order of the definition
     */
    public static GroupTargets of(
            Optional<List<PolicyMetadata.Rule>> groupRules, Map<String, List<PolicyMetadata.Rule>> declared) {
        var members = new LinkedHashMap<String, Set<Resource>>();
        declared.forEach((name, rules) -> members.put(name, resources(rules)));
        return new GroupTargets(groupRules.map(GroupTargets::resources), members);
    }

    /**
     * Loads a policy for its first use. Refuses a group whose expression can never be meaningful. Replicas do not check
     * again what the leader has initialised, so that an update of the program never withdraws an enforced group.
     *
     * @param groupRules the rules of the group; empty if its definition has none, and for single policies
     * @throws PolicyLoadException with {@link Reason#INVALID_EXPRESSION} if no request can concern all used members
     */
    public static LoadedPolicy loadChecked(
            PolicyLoader loader,
            String policyId,
            PolicyEntry entry,
            Optional<List<PolicyMetadata.Rule>> groupRules,
            ModuleBytes modules) {
        var declared = new HashMap<String, List<PolicyMetadata.Rule>>();
        var policy = loader.load(policyId, entry, url -> {
            var wasm = modules.of(url);
            declared.put(url, declaredRules(wasm));
            return wasm;
        });
        try {
            switch (entry) {
                case PolicyEntry.Single _ -> {}
                case PolicyEntry.Group group -> check(policyId, group, groupRules, declared);
            }
            return policy;
        } catch (RuntimeException e) {
            policy.close();
            throw e;
        }
    }

    private static List<PolicyMetadata.Rule> declaredRules(byte[] wasm) {
        return PolicyMetadata.of(wasm).map(PolicyMetadata::rules).orElse(List.of());
    }

    private static void check(
            String groupId,
            PolicyEntry.Group group,
            Optional<List<PolicyMetadata.Rule>> groupRules,
            Map<String, List<PolicyMetadata.Rule>> rulesByUrl) {
        var used = GroupExpression.parse(group.expression(), group.members().keySet())
                .usedMembers();
        var declared = new LinkedHashMap<String, List<PolicyMetadata.Rule>>();
        group.members().forEach((name, member) -> {
            if (used.contains(name)) {
                declared.put(name, rulesByUrl.getOrDefault(member.module(), List.of()));
            }
        });
        of(groupRules, declared).problem().ifPresent(problem -> {
            throw new PolicyLoadException(
                    Reason.INVALID_EXPRESSION,
                    "the expression of group " + groupId + " can never be meaningful: " + problem,
                    null);
        });
    }

    /** Returns why no request can concern all members; empty if some can. */
    public Optional<String> problem() {
        var selected = group.orElse(EVERYTHING);
        for (var member : members.entrySet()) {
            if (meet(selected, member.getValue()).isEmpty()) {
                return Optional.of("member '" + member.getKey() + "' is made for " + text(member.getValue())
                        + ", but the rules of the group select " + text(selected));
            }
        }
        return strangers(selected).or(() -> together(selected));
    }

    /** Finds two members that no selected resource concerns both. */
    private Optional<String> strangers(Set<Resource> selected) {
        var seen = new ArrayList<Map.Entry<String, Set<Resource>>>();
        for (var right : members.entrySet()) {
            var selectedByRight = meet(selected, right.getValue());
            for (var left : seen) {
                if (meet(selectedByRight, left.getValue()).isEmpty()) {
                    return Optional.of("member '" + left.getKey() + "' is made for " + text(left.getValue())
                            + ", member '" + right.getKey() + "' for " + text(right.getValue()));
                }
            }
            seen.add(right);
        }
        return Optional.empty();
    }

    private Optional<String> together(Set<Resource> selected) {
        var common = selected;
        for (var resources : members.values()) {
            common = meet(common, resources);
        }
        return common.isEmpty()
                ? Optional.of("the members "
                        + members.keySet().stream().collect(Collectors.joining("', '", "'", "'"))
                        + " have no resource in common")
                : Optional.empty();
    }

    /**
     * Returns the members that are not made for some resource of another member, with that resource. The union of their
     * rules would send them requests that they are not made for.
     */
    public List<String> gapsOfUnion() {
        var gaps = new ArrayList<String>();
        members.forEach((name, own) -> members.values().stream()
                .flatMap(Set::stream)
                .filter(resource -> own.stream().noneMatch(pattern -> pattern.covers(resource)))
                .findFirst()
                .ifPresent(resource -> gaps.add("'" + name + "' is not made for " + resource.text())));
        return gaps;
    }

    private static Set<Resource> resources(List<PolicyMetadata.Rule> rules) {
        var resources = new LinkedHashSet<Resource>();
        for (var rule : rules) {
            for (var apiGroup : rule.apiGroups()) {
                for (var resource : rule.resources()) {
                    var slash = resource.indexOf('/');
                    resources.add(new Resource(apiGroup, slash < 0 ? resource : resource.substring(0, slash)));
                    if (resources.size() > MAX_RESOURCES) {
                        return EVERYTHING;
                    }
                }
            }
        }
        return resources.isEmpty() ? EVERYTHING : resources;
    }

    private static Set<Resource> meet(Set<Resource> left, Set<Resource> right) {
        var both = new LinkedHashSet<Resource>();
        for (var one : left) {
            for (var other : right) {
                one.meet(other).ifPresent(both::add);
                if (both.size() > MAX_RESOURCES) {
                    return EVERYTHING;
                }
            }
        }
        return both;
    }

    private static String text(Set<Resource> resources) {
        var shown = resources.stream().limit(MAX_SHOWN).map(Resource::text).collect(Collectors.joining(", "));
        return resources.size() > MAX_SHOWN ? shown + " and " + (resources.size() - MAX_SHOWN) + " more" : shown;
    }
}
