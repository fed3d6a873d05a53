package io.portcullis.controller.policyserver.workload;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The environment variables of a policy server.
 *
 * @param variables in order: ours that are always set, the user's, ours that depend on settings
 * @param ignored names that the user set although only the controller may
 */
public record PodEnvironment(List<EnvVar> variables, List<String> ignored) {

    private static final String ALLOWED_NETWORKS = "KUBEWARDEN_HOST_CALL_ALLOWED_NETWORKS";
    private static final String SIDECAR_ENDPOINT = "http://localhost:4317";

    /**
     * Reserved even while we do not set them: they could detach a server from its cluster, or disable its protection.
     */
    private static final Set<String> RESERVED = Set.of(
            "KUBEWARDEN_STANDALONE",
            "KUBEWARDEN_POLICIES",
            "KUBEWARDEN_ALWAYS_ACCEPT_ADMISSION_REVIEWS_ON_NAMESPACE",
            "KUBEWARDEN_VERIFICATION_CONFIG_PATH",
            "KUBEWARDEN_SIGSTORE_TRUST_CONFIG_PATH",
            "KUBEWARDEN_DOCKER_CONFIG_JSON_PATH",
            "KUBEWARDEN_SOURCES_PATH",
            "KUBEWARDEN_CLIENT_CA_FILE",
            "KUBEWARDEN_NAMESPACED_POLICIES_CAPABILITIES",
            ALLOWED_NETWORKS);

    public static PodEnvironment of(ServerSpec serverSpec) {
        var always = always(serverSpec);
        var conditional = conditional(serverSpec);
        var reserved = new TreeSet<>(RESERVED);
        always.forEach(variable -> reserved.add(variable.getName()));
        conditional.forEach(variable -> reserved.add(variable.getName()));

        // Of several variables with one name the last one wins, as in a container; server-side apply rejects
        // duplicates.
        var users = new LinkedHashMap<String, EnvVar>();
        serverSpec.spec().container().env().forEach(variable -> users.putLast(variable.getName(), variable));
        var ignored =
                users.keySet().stream().filter(reserved::contains).sorted().toList();
        users.keySet().removeAll(reserved);

        var variables = new ArrayList<>(always);
        variables.addAll(users.values());
        variables.addAll(conditional);
        return new PodEnvironment(variables, ignored);
    }

    private static List<EnvVar> always(ServerSpec serverSpec) {
        var ports = serverSpec.spec().ports();
        return List.of(
                variable("KUBEWARDEN_CERT_FILE", PodVolumes.PKI + "/tls.crt"),
                variable("KUBEWARDEN_KEY_FILE", PodVolumes.PKI + "/tls.key"),
                variable("KUBEWARDEN_PORT", Integer.toString(ports.effectiveWebhookPort())),
                variable("KUBEWARDEN_READINESS_PROBE_PORT", Integer.toString(ports.effectiveReadinessProbePort())),
                variable("KUBEWARDEN_POLICIES_DOWNLOAD_DIR", PodVolumes.STORE),
                variable("KUBEWARDEN_SIGSTORE_CACHE_DIR", PodVolumes.STORE + "/sigstore-data"),
                variable("KUBEWARDEN_EVIDENCE_TOKEN_FILE", PodVolumes.PKI + "/evidence-token"),
                variable("KUBEWARDEN_POLICY_SERVER_NAME", serverSpec.names().server()),
                field("KUBEWARDEN_NAMESPACE", "metadata.namespace"),
                field("POD_NAME", "metadata.name"),
                field("POD_UID", "metadata.uid"),
                field("KUBEWARDEN_REPLICA", "metadata.labels['apps.kubernetes.io/pod-index']"),
                variable("KUBEWARDEN_CACHE_DIR", PodVolumes.cacheDirectory(serverSpec)),
                variable("KUBEWARDEN_CACHE_MODE", PodVolumes.sharesCache(serverSpec) ? "shared" : "ephemeral"),
                variable("KUBEWARDEN_CACHE_SIGNER_CERT", PodVolumes.CACHE_SIGNER + "/tls.crt"),
                variable("KUBEWARDEN_CACHE_SIGNER_KEY", PodVolumes.CACHE_SIGNER + "/tls.key"),
                variable("KUBEWARDEN_CACHE_CA", PodVolumes.CA));
    }

    private static List<EnvVar> conditional(ServerSpec serverSpec) {
        var settings = serverSpec.settings();
        var sources = serverSpec.spec().sources();
        var variables = new ArrayList<EnvVar>();
        if (settings.alwaysAcceptInNamespace()) {
            variables.add(variable("KUBEWARDEN_ALWAYS_ACCEPT_ADMISSION_REVIEWS_ON_NAMESPACE", settings.namespace()));
        }
        if (ServerSpec.isSet(sources.verificationConfig())) {
            variables.add(variable(
                    "KUBEWARDEN_VERIFICATION_CONFIG_PATH",
                    PodVolumes.VERIFICATION + "/" + PodVolumes.VERIFICATION_FILE));
            if (sources.unverifiedPoliciesFail()) {
                variables.add(variable("KUBEWARDEN_UNVERIFIED_POLICIES", "fail"));
            }
        }
        if (ServerSpec.isSet(sources.sigstoreTrustConfig())) {
            variables.add(variable(
                    "KUBEWARDEN_SIGSTORE_TRUST_CONFIG_PATH",
                    PodVolumes.SIGSTORE_TRUST + "/" + PodVolumes.SIGSTORE_TRUST_FILE));
        }
        if (ServerSpec.isSet(sources.imagePullSecret())) {
            variables.add(variable("KUBEWARDEN_DOCKER_CONFIG_JSON_PATH", PodVolumes.DOCKER));
        }
        if (serverSpec.hasSources()) {
            variables.add(variable("KUBEWARDEN_SOURCES_PATH", PodVolumes.SOURCES + "/" + SourcesFile.NAME));
        }
        if (settings.clientCaConfigMap().isPresent()) {
            variables.add(variable(
                    "KUBEWARDEN_CLIENT_CA_FILE",
                    PodVolumes.CA + "/ca.crt," + PodVolumes.CLIENT_CA + "/" + ReferencedObjects.CLIENT_CA_KEY));
        }
        var capabilities = JsonNodeFactory.instance.arrayNode();
        serverSpec.spec().namespacedCapabilities().forEach(capabilities::add);
        variables.add(variable("KUBEWARDEN_NAMESPACED_POLICIES_CAPABILITIES", capabilities.toString()));
        var networks = serverSpec.spec().tenancy().allowedNetworks();
        if (!networks.isEmpty()) {
            variables.add(variable(ALLOWED_NETWORKS, String.join(",", networks)));
        }
        telemetry(settings).forEach((name, value) -> variables.add(variable(name, value)));
        return variables;
    }

    private static Map<String, String> telemetry(ServerDefaults settings) {
        var telemetry = settings.telemetry();
        var variables = new LinkedHashMap<String, String>();
        if (telemetry.metrics()) {
            variables.put("KUBEWARDEN_ENABLE_METRICS", "true");
        }
        if (telemetry.tracing()) {
            variables.put("KUBEWARDEN_LOG_FMT", "otlp");
        }
        if (telemetry.isSentToCollector()) {
            variables.putAll(new TreeMap<>(telemetry.exporter()));
        } else if (telemetry.isOn() && !settings.hostNetwork()) {
            variables.put("OTEL_EXPORTER_OTLP_ENDPOINT", SIDECAR_ENDPOINT);
        }
        return variables;
    }

    private static EnvVar variable(String name, String value) {
        return new EnvVarBuilder().withName(name).withValue(value).build();
    }

    private static EnvVar field(String name, String path) {
        return new EnvVarBuilder()
                .withName(name)
                .withNewValueFrom()
                .withNewFieldRef()
                .withFieldPath(path)
                .endFieldRef()
                .endValueFrom()
                .build();
    }
}
