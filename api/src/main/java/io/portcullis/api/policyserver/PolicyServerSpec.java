package io.portcullis.api.policyserver;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Toleration;
import io.fabric8.kubernetes.api.model.TopologySpreadConstraint;
import io.portcullis.api.json.FlatObject;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Typed spec of a PolicyServer, split into parts for different readers. */
public record PolicyServerSpec(
        Fleet fleet,
        Container container,
        Scheduling scheduling,
        Sources sources,
        Ports ports,
        Serving serving,
        Tenants tenants) {

    /** Image, number of replicas, disruption budget, and metadata of the pods. */
    public record Fleet(
            String image,
            int replicas,
            @Nullable IntOrString minAvailable,
            @Nullable IntOrString maxUnavailable,
            Map<String, String> annotations,
            Map<String, String> labels) {

        public Fleet {
            image = image == null ? "" : image;
            annotations = annotations == null ? Map.of() : Map.copyOf(annotations);
            labels = labels == null ? Map.of() : Map.copyOf(labels);
        }
    }

    /** Environment, account, security contexts and resources of the container. */
    public record Container(
            List<EnvVar> env,
            @Nullable String serviceAccountName,
            @Nullable SecurityContexts securityContexts,
            Map<String, Quantity> limits,
            Map<String, Quantity> requests) {

        public Container {
            env = env == null ? List.of() : List.copyOf(env);
            limits = limits == null ? Map.of() : Map.copyOf(limits);
            requests = requests == null ? Map.of() : Map.copyOf(requests);
        }
    }

    /** Security contexts. A context that is set replaces the built-in hardened one completely. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record SecurityContexts(
            @Nullable PodSecurityContext pod, @Nullable SecurityContext container) {}

    /** Where the pods may run. */
    public record Scheduling(
            @Nullable Affinity affinity,
            List<Toleration> tolerations,
            @Nullable String priorityClassName,
            List<TopologySpreadConstraint> topologySpreadConstraints) {

        public Scheduling {
            tolerations = tolerations == null ? List.of() : List.copyOf(tolerations);
            topologySpreadConstraints =
                    topologySpreadConstraints == null ? List.of() : List.copyOf(topologySpreadConstraints);
        }
    }

    /**
     * Sources of policies and the configuration of signature verification.
     *
     * @param imagePullSecret secret for pulling policies, not for the pod's image
     * @param sourceAuthoritiesFrom references to further certificates, by host
     * @param unverifiedPolicies how to treat policies that a stricter verification config no longer accepts
     */
    public record Sources(
            @Nullable String imagePullSecret,
            List<String> insecureSources,
            Map<String, List<String>> sourceAuthorities,
            Map<String, List<AuthoritySource>> sourceAuthoritiesFrom,
            @Nullable String verificationConfig,
            @Nullable String sigstoreTrustConfig,
            @Nullable String unverifiedPolicies) {

        private static final String FAIL = "Fail";

        public Sources {
            insecureSources = insecureSources == null ? List.of() : List.copyOf(insecureSources);
            sourceAuthorities = sourceAuthorities == null ? Map.of() : Map.copyOf(sourceAuthorities);
            sourceAuthoritiesFrom = sourceAuthoritiesFrom == null ? Map.of() : Map.copyOf(sourceAuthoritiesFrom);
        }

        /** Returns whether unverified policies fail. Otherwise they stay enforced, and their status reports it. */
        public boolean unverifiedPoliciesFail() {
            return FAIL.equals(unverifiedPolicies);
        }
    }

    /** A key with certificates in PEM. Exactly one of the references is set. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record AuthoritySource(
            @Nullable KeyReference configMapKeyRef,
            @Nullable KeyReference secretKeyRef) {}

    /** A key of an object in the namespace of the policy servers. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record KeyReference(String name, String key) {

        public KeyReference {
            name = name == null ? "" : name;
            key = key == null ? "" : key;
        }
    }

    /** Ports of the pods. The metrics port is the port of the Service. */
    public record Ports(
            @Nullable Integer webhookPort,
            @Nullable Integer readinessProbePort,
            @Nullable Integer metricsPort) {

        public static final int DEFAULT_WEBHOOK = 8443;
        public static final int DEFAULT_READINESS_PROBE = 8081;

        public int effectiveWebhookPort() {
            return Objects.requireNonNullElse(webhookPort, DEFAULT_WEBHOOK);
        }

        public int effectiveReadinessProbePort() {
            return Objects.requireNonNullElse(readinessProbePort, DEFAULT_READINESS_PROBE);
        }
    }

    /**
     * Settings of how replicas serve policies.
     *
     * @param namespacedPoliciesCapabilities host capabilities of namespaced policies; absent or empty: none
     * @param revisionHistoryLimit absent: the controller's default
     */
    public record Serving(
            @Nullable List<String> namespacedPoliciesCapabilities,
            @Nullable Cache cache,
            @Nullable Integer revisionHistoryLimit) {}

    /** Limits for namespaced policies. */
    public record Tenants(@Nullable Tenancy tenancy) {}

    /** Returns the tenancy rules of this server, or the defaults when the field is absent. */
    public Tenancy tenancy() {
        return tenants.tenancy() == null ? Tenancy.DEFAULT : tenants.tenancy();
    }

    /**
     * Returns the host capabilities of namespaced policies: {@code spec.tenancy.capabilities}, else the older field, else
     * none.
     */
    public List<String> namespacedCapabilities() {
        var older = Objects.requireNonNullElse(serving.namespacedPoliciesCapabilities(), List.<String>of());
        return Objects.requireNonNullElse(tenancy().capabilities(), older);
    }

    /** Returns whether the server verifies the signatures of modules. */
    public boolean isVerifying() {
        return sources.verificationConfig() != null
                && !sources.verificationConfig().isEmpty();
    }

    /** Storage of compiled modules. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Cache(
            @Nullable String mode,
            @Nullable String claimName,
            @Nullable String storageClassName,
            @Nullable Quantity size) {

        /** Returns whether all replicas share one ReadWriteMany volume. Otherwise each pod has its own volume. */
        public boolean isShared() {
            return "Shared".equals(mode);
        }
    }

    /**
     * Returns the typed view of a spec.
     *
     * @throws FlatObject.MalformedException when a field has a wrong type; the message names it
     */
    public static PolicyServerSpec read(ObjectNode spec) {
        var object = new FlatObject("spec", spec);
        return new PolicyServerSpec(
                object.read(Fleet.class),
                object.read(Container.class),
                object.read(Scheduling.class),
                object.read(Sources.class),
                object.read(Ports.class),
                object.read(Serving.class),
                object.read(Tenants.class));
    }
}
