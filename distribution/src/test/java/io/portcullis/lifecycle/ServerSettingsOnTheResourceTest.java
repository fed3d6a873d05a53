package io.portcullis.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.controller.policyserver.workload.PodEnvironment;
import io.portcullis.server.settings.ServerFlags;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Every setting of the policy server can be set on its PolicyServer: with {@code spec.env}, or with a field of its own. */
class ServerSettingsOnTheResourceTest {

    /** Settings that users cannot set with {@code spec.env}, and the field or the program that sets them. */
    private static final Map<String, String> ELSEWHERE = Map.ofEntries(
            Map.entry("KUBEWARDEN_PORT", "spec.webhookPort"),
            Map.entry("KUBEWARDEN_READINESS_PROBE_PORT", "spec.readinessProbePort"),
            Map.entry("KUBEWARDEN_VERIFICATION_CONFIG_PATH", "spec.verificationConfig"),
            Map.entry("KUBEWARDEN_SIGSTORE_TRUST_CONFIG_PATH", "spec.sigstoreTrustConfig"),
            Map.entry("KUBEWARDEN_DOCKER_CONFIG_JSON_PATH", "spec.imagePullSecret"),
            Map.entry("KUBEWARDEN_SOURCES_PATH", "spec.insecureSources, sourceAuthorities, sourceAuthoritiesFrom"),
            Map.entry("KUBEWARDEN_NAMESPACED_POLICIES_CAPABILITIES", "spec.namespacedPoliciesCapabilities"),
            Map.entry("KUBEWARDEN_HOST_CALL_ALLOWED_NETWORKS", "spec.tenancy.hostCalls.allowedNetworks"),
            Map.entry("KUBEWARDEN_CACHE_DIR", "spec.cache"),
            Map.entry("KUBEWARDEN_CACHE_MODE", "spec.cache.mode"),
            Map.entry("KUBEWARDEN_POLICIES", "the policies are resources"),
            Map.entry("KUBEWARDEN_STANDALONE", "the policies are resources"),
            Map.entry("KUBEWARDEN_ALWAYS_ACCEPT_ADMISSION_REVIEWS_ON_NAMESPACE", "a flag of the controller"),
            Map.entry("KUBEWARDEN_CLIENT_CA_FILE", "a flag of the controller"),
            Map.entry("KUBEWARDEN_POLICIES_DOWNLOAD_DIR", "a volume of the pod"),
            Map.entry("KUBEWARDEN_SIGSTORE_CACHE_DIR", "a volume of the pod"),
            Map.entry("KUBEWARDEN_CERT_FILE", "the controller makes the certificate"),
            Map.entry("KUBEWARDEN_KEY_FILE", "the controller makes the certificate"),
            Map.entry("KUBEWARDEN_CACHE_SIGNER_CERT", "the controller makes the certificate"),
            Map.entry("KUBEWARDEN_CACHE_SIGNER_KEY", "the controller makes the certificate"),
            Map.entry("KUBEWARDEN_CACHE_CA", "the controller makes the certificate"),
            Map.entry("KUBEWARDEN_EVIDENCE_TOKEN_FILE", "the controller makes the token"),
            Map.entry("KUBEWARDEN_POLICY_SERVER_NAME", "the name of the PolicyServer"),
            Map.entry("KUBEWARDEN_NAMESPACE", "the namespace of the pod"),
            Map.entry("KUBEWARDEN_REPLICA", "the ordinal of the pod"),
            Map.entry("POD_NAME", "the name of the pod"),
            Map.entry("POD_UID", "the UID of the pod"));

    private static final ServerDefaults DEFAULTS = new ServerDefaults(
            "kubewarden",
            List.of(),
            false,
            false,
            Optional.empty(),
            ServerDefaults.Telemetry.OFF,
            ServerDefaults.Network.UNRESTRICTED,
            "system:serviceaccount:kubewarden:kubewarden-controller");

    private static PodEnvironment environment(List<String> variables) {
        var server = new PolicyServer();
        server.setMetadata(new ObjectMetaBuilder().withName("a").withUid("1").build());
        ObjectNode spec = Serialization.unmarshal("---\n{image: i, replicas: 1}", ObjectNode.class);
        var list = spec.putArray("env");
        variables.forEach(name ->
                list.add(JsonNodeFactory.instance.objectNode().put("name", name).put("value", "user")));
        server.setSpec(spec);
        return PodEnvironment.of(ServerSpec.of(server, DEFAULTS));
    }

    @Test
    void everyVariableOfTheServerReachesItFromTheSpecOrHasAnotherPlace() {
        var variables = ServerFlags.ALL.stream()
                .map(flag -> flag.variable())
                .filter(name -> !name.isEmpty())
                .toList();

        var environment = environment(variables);

        assertThat(variables).contains("KUBEWARDEN_LOG_LEVEL", "KUBEWARDEN_POLICY_TIMEOUT", "KUBEWARDEN_WORKERS");
        assertThat(environment.ignored())
                .as("variables that users cannot set")
                .allSatisfy(name -> assertThat(ELSEWHERE).containsKey(name));
        assertThat(environment.variables())
                .filteredOn(variable -> "user".equals(variable.getValue()))
                .extracting(EnvVar::getName)
                .as("variables that reach the server from spec.env")
                .containsExactlyInAnyOrderElementsOf(variables.stream()
                        .filter(name -> !environment.ignored().contains(name))
                        .toList());
        assertThat(variables)
                .filteredOn(name -> !environment.ignored().contains(name))
                .doesNotContainAnyElementsOf(ELSEWHERE.keySet());
    }
}
