package io.portcullis.api.policyserver;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.portcullis.api.policies.ContextAwareResource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The field {@code spec.tenancy} of a PolicyServer, which limits its tenants. An absent field means no restriction, except
 * for the safe defaults: no {@code file:} modules, no host capabilities, no reads of the cluster, no host calls to private
 * networks.
 *
 * @param namespaceSelector namespaces whose policies may use the server; absent: all
 * @param moduleSources where modules may come from, for all policies of the server
 * @param requireSignature whether every module must have a verified signature, for all policies of the server
 * @param maxPoliciesPerNamespace absent: no limit
 * @param maxModulesPerNamespace distinct module references; absent: no limit
 * @param capabilities host capabilities of namespaced policies; absent: those of {@code namespacedPoliciesCapabilities}
 * @param contextAwareResources kinds of objects that members of namespaced groups may read in their own namespace
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record Tenancy(
        @Nullable LabelSelector namespaceSelector,
        @Nullable ModuleSources moduleSources,
        boolean requireSignature,
        @Nullable Integer maxPoliciesPerNamespace,
        @Nullable Integer maxModulesPerNamespace,
        @Nullable List<String> capabilities,
        List<ContextAwareResource> contextAwareResources,
        @Nullable HostCalls hostCalls) {

    /** The rules of a PolicyServer without the field. */
    public static final Tenancy DEFAULT = new Tenancy(null, null, false, null, null, null, List.of(), null);

    public Tenancy {
        capabilities = capabilities == null ? null : List.copyOf(capabilities);
        contextAwareResources = contextAwareResources == null ? List.of() : List.copyOf(contextAwareResources);
    }

    /**
     * Where modules may come from. A module is allowed when its scheme is allowed, and its host is in {@code registries} or
     * its place matches {@code repositories}. When both lists are absent, every host is allowed.
     *
     * @param schemes absent: {@code registry}, {@code https} and {@code http}
     * @param registries hosts with an optional port
     * @param repositories {@code host/path}, or a prefix that ends with {@code /*}
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record ModuleSources(
            @Nullable List<String> schemes,
            @Nullable List<String> registries,
            @Nullable List<String> repositories) {

        /** Valid values of {@code schemes}. A policy server in a cluster never reads modules from its own files. */
        public static final List<String> SCHEMES = List.of("registry", "https", "http");

        static final ModuleSources ANY = new ModuleSources(null, null, null);

        public ModuleSources {
            schemes = schemes == null ? null : List.copyOf(schemes);
            registries = registries == null ? null : List.copyOf(registries);
            repositories = repositories == null ? null : List.copyOf(repositories);
        }

        public List<String> effectiveSchemes() {
            return schemes == null ? SCHEMES : schemes;
        }
    }

    /**
     * Which networks the host calls of policies may reach.
     *
     * @param allowedNetworks address ranges (CIDR) and host names that are reachable although they are private
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record HostCalls(@Nullable List<String> allowedNetworks) {

        public HostCalls {
            allowedNetworks = allowedNetworks == null ? null : List.copyOf(allowedNetworks);
        }
    }

    public ModuleSources effectiveModuleSources() {
        return moduleSources == null ? ModuleSources.ANY : moduleSources;
    }

    /** The private networks that host calls may reach; empty: none. */
    public List<String> allowedNetworks() {
        return hostCalls == null || hostCalls.allowedNetworks() == null ? List.of() : hostCalls.allowedNetworks();
    }
}
