package io.portcullis.core.tenancy;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policyserver.Tenancy;
import io.portcullis.api.policyserver.Tenancy.ModuleSources;
import io.portcullis.core.overlap.LabelRequirements;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a policy respects the tenancy rules of its PolicyServer. The function is pure.
 *
 * <p>Rules on modules and signatures apply to every policy of the server. The other rules apply to namespaced policies.
 *
 * @param policyServer name of the server, for messages
 * @param isVerifying whether the server verifies signatures
 */
public record TenancyRules(String policyServer, Tenancy tenancy, boolean isVerifying) {

    private static final String ANY_BELOW = "/*";
    private static final int MAX_SHOWN = 5;

    /** Returns the rules that the policy violates; empty: the policy is allowed. */
    public List<TenancyViolation> check(PolicyUse use) {
        var violations = new ArrayList<TenancyViolation>();
        if (use.policy().kind().isNamespaced()) {
            namespace(use).ifPresent(violations::add);
        }
        use.modules().forEach((field, module) -> module(field, module).ifPresent(violations::add));
        if (use.policy().kind().isNamespaced()) {
            policies(use).ifPresent(violations::add);
            modules(use).ifPresent(violations::add);
            use.contextAwareResources()
                    .forEach((field, resources) -> context(field, resources).ifPresent(violations::add));
        }
        return List.copyOf(violations);
    }

    private Optional<TenancyViolation> namespace(PolicyUse use) {
        var selector = tenancy.namespaceSelector();
        if (selector == null) {
            return Optional.empty();
        }
        var requirements = LabelRequirements.of(selector);
        if (use.namespaceLabels().filter(requirements::accept).isPresent()) {
            return Optional.empty();
        }
        return violated(
                TenancyRule.NAMESPACE_SELECTOR,
                "spec.policyServer",
                use.namespaceLabels()
                        .map(labels -> "the labels of namespace %s do not match"
                                .formatted(use.policy().namespace()))
                        .orElse("namespace %s is unknown".formatted(use.policy().namespace())),
                "namespaces with " + SelectorText.of(selector));
    }

    private Optional<TenancyViolation> module(String field, Optional<ModuleReference> reference) {
        var sources = tenancy.effectiveModuleSources();
        if (reference.isEmpty()) {
            return violated(
                    TenancyRule.MODULE_SCHEMES,
                    field,
                    "the module is not a valid reference",
                    String.join(", ", sources.effectiveSchemes()));
        }
        var module = reference.get();
        if (module.scheme().equals("file")) {
            return Optional.of(new TenancyViolation(
                    TenancyRule.MODULE_SCHEMES,
                    field,
                    "violates the tenancy rule %s of PolicyServer %s: a policy server in a cluster does not load modules from files; allowed: %s"
                            .formatted(
                                    TenancyRule.MODULE_SCHEMES.field(),
                                    policyServer,
                                    String.join(", ", sources.effectiveSchemes()))));
        }
        if (!sources.effectiveSchemes().contains(module.scheme())) {
            return violated(
                    TenancyRule.MODULE_SCHEMES,
                    field,
                    "the module has the scheme " + module.scheme(),
                    String.join(", ", sources.effectiveSchemes()));
        }
        return place(field, module, sources).or(() -> signature(field, module));
    }

    private Optional<TenancyViolation> place(String field, ModuleReference module, ModuleSources sources) {
        var registries = sources.registries();
        var repositories = sources.repositories();
        if (registries == null && repositories == null) {
            return Optional.empty();
        }
        boolean isRegistryAllowed = registries != null
                && registries.stream().map(ModuleReference::normalHost).anyMatch(module.host()::equals);
        boolean isRepositoryAllowed =
                repositories != null && repositories.stream().anyMatch(pattern -> matches(pattern, module));
        if (isRegistryAllowed || isRepositoryAllowed) {
            return Optional.empty();
        }
        return repositories == null
                ? violated(
                        TenancyRule.MODULE_REGISTRIES,
                        field,
                        "the module comes from " + module.host(),
                        String.join(", ", registries))
                : violated(
                        TenancyRule.MODULE_REPOSITORIES,
                        field,
                        "the module comes from " + module.place(),
                        String.join(", ", union(registries, repositories)));
    }

    private static List<String> union(@Nullable List<String> first, List<String> second) {
        var union = new ArrayList<String>(first == null ? List.of() : first);
        union.addAll(second);
        return union;
    }

    private static boolean matches(String pattern, ModuleReference module) {
        int slash = pattern.indexOf('/');
        if (slash < 0) {
            return false;
        }
        var normal = ModuleReference.normalHost(pattern.substring(0, slash)) + pattern.substring(slash);
        // Compare with the slash, so that registry.example.com/team-a/* does not allow
        // registry.example.com/team-attack.
        return normal.endsWith(ANY_BELOW)
                ? module.place().startsWith(normal.substring(0, normal.length() - 1))
                : module.place().equals(normal);
    }

    private Optional<TenancyViolation> signature(String field, ModuleReference module) {
        if (!tenancy.requireSignature()) {
            return Optional.empty();
        }
        if (!isVerifying) {
            return violated(
                    TenancyRule.REQUIRE_SIGNATURE,
                    field,
                    "the server has no spec.verificationConfig, so it cannot verify signatures",
                    "modules with a verified signature");
        }
        return module.scheme().equals("registry")
                ? Optional.empty()
                : violated(
                        TenancyRule.REQUIRE_SIGNATURE,
                        field,
                        "a module with the scheme " + module.scheme() + " has no signature",
                        "modules of registries with a verified signature");
    }

    private Optional<TenancyViolation> policies(PolicyUse use) {
        var max = tenancy.maxPoliciesPerNamespace();
        return max == null || use.before().policies() < max
                ? Optional.empty()
                : violated(
                        TenancyRule.MAX_POLICIES,
                        "spec.policyServer",
                        "namespace %s already has %d policies on this server"
                                .formatted(
                                        use.policy().namespace(), use.before().policies()),
                        "at most " + max);
    }

    private Optional<TenancyViolation> modules(PolicyUse use) {
        var max = tenancy.maxModulesPerNamespace();
        if (max == null) {
            return Optional.empty();
        }
        var modules = new HashSet<>(use.before().modules());
        use.modules()
                .values()
                .forEach(module -> module.map(ModuleReference::text).ifPresent(modules::add));
        // A policy whose modules are all in use adds none, even if the namespace already exceeds the limit.
        return modules.size() <= max || modules.size() == use.before().modules().size()
                ? Optional.empty()
                : violated(
                        TenancyRule.MAX_MODULES,
                        "spec.policyServer",
                        "namespace %s would have %d different modules on this server"
                                .formatted(use.policy().namespace(), modules.size()),
                        "at most " + max);
    }

    private Optional<TenancyViolation> context(String field, Set<ContextAwareResource> resources) {
        var allowed = tenancy.contextAwareResources();
        var refused = resources.stream()
                .filter(resource -> !allowed.contains(resource))
                .map(TenancyRules::text)
                .sorted()
                .toList();
        return refused.isEmpty()
                ? Optional.empty()
                : violated(
                        TenancyRule.CONTEXT_AWARE_RESOURCES,
                        field,
                        "the member reads " + shown(refused),
                        allowed.isEmpty()
                                ? "nothing"
                                : shown(allowed.stream().map(TenancyRules::text).toList()));
    }

    private static String text(ContextAwareResource resource) {
        return resource.apiVersion() + "/" + resource.kind();
    }

    private static String shown(List<String> names) {
        var shown = String.join(", ", names.subList(0, Math.min(names.size(), MAX_SHOWN)));
        return names.size() > MAX_SHOWN ? shown + " and " + (names.size() - MAX_SHOWN) + " more" : shown;
    }

    private Optional<TenancyViolation> violated(TenancyRule rule, String field, String found, String allowed) {
        return Optional.of(new TenancyViolation(
                rule,
                field,
                "violates the tenancy rule %s of PolicyServer %s: %s; allowed: %s. A cluster administrator can change spec.tenancy.%s"
                        .formatted(rule.field(), policyServer, found, allowed, rule.field())));
    }

    /** Returns one message for all violations, for a condition or an Event. */
    public static String summary(List<TenancyViolation> violations) {
        return String.join(
                "; ",
                violations.stream()
                        .map(violation -> violation.field() + " " + violation.message())
                        .toList());
    }

    /** Formats label selectors as kubectl does. */
    private static final class SelectorText {

        private SelectorText() {}

        static String of(LabelSelector selector) {
            var parts = new ArrayList<String>();
            Optional.ofNullable(selector.getMatchLabels())
                    .orElse(Map.of())
                    .forEach((key, value) -> parts.add(key + "=" + value));
            selector.getMatchExpressions()
                    .forEach(expression -> parts.add(
                            switch (expression.getOperator()) {
                                case "In" ->
                                    expression.getKey() + " in (" + String.join(",", expression.getValues()) + ")";
                                case "NotIn" ->
                                    expression.getKey() + " notin (" + String.join(",", expression.getValues()) + ")";
                                case "DoesNotExist" -> "!" + expression.getKey();
                                default -> expression.getKey();
                            }));
            return parts.isEmpty() ? "any labels" : String.join(",", parts);
        }
    }
}
