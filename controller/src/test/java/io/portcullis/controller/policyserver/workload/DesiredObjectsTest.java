package io.portcullis.controller.policyserver.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.controller.policyserver.SampleServers;
import io.portcullis.controller.policyserver.rollout.Migration;
import io.portcullis.controller.policyserver.rollout.Rollout;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.policyserver.spec.ServerNames;
import io.portcullis.controller.policyserver.spec.ServerSpec;
import io.portcullis.testkit.golden.Golden;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The objects of a policy server: complete objects in golden files, and single rules. */
class DesiredObjectsTest {

    private static final Golden GOLDEN = new Golden(Path.of("src/test/resources/golden/policyserver"));
    private static final String MINIMAL = "{image: 'policy-server:1', replicas: 1}";
    private static final String EVERYTHING = """
            image: policy-server:2
            replicas: 3
            minAvailable: 50%
            annotations: {team.example.com/owner: a}
            labels: {team: a, app.kubernetes.io/component: mine, kubewarden/policy-server: other}
            env:
              - {name: KUBEWARDEN_LOG_LEVEL, value: debug}
              - {name: KUBEWARDEN_PORT, value: '1'}
              - {name: FROM_SECRET, valueFrom: {secretKeyRef: {name: some, key: thing}}}
            serviceAccountName: policy-server
            imagePullSecret: registry
            insecureSources: [one.example.com, two.example.com]
            sourceAuthorities: {b.example.com: [PEM-3], a.example.com: [PEM-1, PEM-2]}
            verificationConfig: verification
            unverifiedPolicies: Fail
            sigstoreTrustConfig: trust
            securityContexts:
              pod: {runAsUser: 1000}
              container: {privileged: false}
            affinity:
              nodeAffinity:
                requiredDuringSchedulingIgnoredDuringExecution:
                  nodeSelectorTerms: [{matchExpressions: [{key: disk, operator: Exists}]}]
            tolerations: [{key: dedicated, operator: Exists}]
            topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]
            priorityClassName: high
            limits: {cpu: 500m, memory: 1Gi}
            requests: {cpu: 250m}
            namespacedPoliciesCapabilities: [oci/v1/verify, net/*]
            webhookPort: 9443
            readinessProbePort: 9081
            metricsPort: 9090
            cache: {mode: Shared, storageClassName: nfs, size: 5Gi}
            """;

    static Stream<Object[]> cases() {
        var all = new ServerDefaults(
                SampleServers.NAMESPACE,
                List.of("pull-1", "pull-2", "pull-1"),
                false,
                true,
                Optional.of("client-ca"),
                SampleServers.COLLECTOR,
                new ServerDefaults.Network(true, List.of(443, 6443)),
                SampleServers.CONTROLLER);
        var host = new ServerDefaults(
                SampleServers.NAMESPACE,
                List.of(),
                true,
                false,
                Optional.empty(),
                ServerDefaults.Telemetry.OFF,
                new ServerDefaults.Network(true, List.of(443)),
                SampleServers.CONTROLLER);
        return Stream.of(
                new Object[] {"minimal", MINIMAL, SampleServers.PLAIN},
                new Object[] {"everything", EVERYTHING, all},
                new Object[] {"host-network", MINIMAL, host},
                new Object[] {"sidecar", MINIMAL, SampleServers.with(SampleServers.SIDECAR)});
    }

    @ParameterizedTest
    @MethodSource("cases")
    void createsTheReviewedObjects(String name, String spec, ServerDefaults settings) {
        var serverSpec = SampleServers.serverSpec(spec, settings);
        var objects = new ArrayList<HasMetadata>();
        objects.add(DesiredObjects.roleBinding(serverSpec));
        objects.add(DesiredObjects.leaseRole(serverSpec));
        objects.add(DesiredObjects.leaseRoleBinding(serverSpec));
        objects.add(DesiredObjects.configMap(
                serverSpec, SourceAuthorities.resolve(serverSpec, _ -> Optional.empty(), _ -> Optional.empty())));
        DesiredObjects.cacheClaim(serverSpec).ifPresent(objects::add);
        objects.add(DesiredServices.forPods(serverSpec));
        objects.add(DesiredServices.forWebhooks(serverSpec, complete(serverSpec.names())));
        objects.add(SampleServers.statefulSet(serverSpec));
        DesiredObjects.disruptionBudget(serverSpec).ifPresent(objects::add);
        DesiredNetworkPolicy.of(serverSpec).ifPresent(objects::add);

        GOLDEN.matches(
                name + ".yaml", objects.stream().map(DesiredObjectsTest::yaml).collect(Collectors.joining()));
    }

    private static PodSpec pod(ServerSpec serverSpec) {
        return SampleServers.statefulSet(serverSpec).getSpec().getTemplate().getSpec();
    }

    private static Container container(ServerSpec serverSpec) {
        return pod(serverSpec).getContainers().getFirst();
    }

    private static Map<String, String> env(ServerSpec serverSpec) {
        return container(serverSpec).getEnv().stream()
                .filter(variable -> variable.getValue() != null)
                .collect(Collectors.toMap(variable -> variable.getName(), variable -> variable.getValue()));
    }

    @Test
    void neverMountsTheKeyOfTheAuthority() {
        var keys = pod(SampleServers.serverSpec(MINIMAL)).getVolumes().stream()
                .filter(volume -> volume.getProjected() != null)
                .flatMap(volume -> volume.getProjected().getSources().stream())
                .flatMap(source -> source.getSecret().getItems().stream())
                .map(item -> item.getKey());

        assertThat(keys).containsExactly("ca.crt", "old-ca.crt");
        assertThat(pod(SampleServers.serverSpec(MINIMAL)).getVolumes())
                .noneMatch(volume -> volume.getSecret() != null
                        && ServerNames.CA_SECRET.equals(volume.getSecret().getSecretName()));
    }

    @Test
    void mountsOnlyStoreAndCacheWritable() {
        var writable = container(SampleServers.serverSpec(EVERYTHING)).getVolumeMounts().stream()
                .filter(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
                .map(mount -> mount.getMountPath());

        assertThat(writable).containsExactly("/tmp", "/cache");
    }

    @Test
    void ignoresReservedVariablesOfUsers() {
        var environment = PodEnvironment.of(SampleServers.serverSpec("""
                {image: i, replicas: 1, env: [
                  {name: KUBEWARDEN_STANDALONE, value: 'true'}, {name: KUBEWARDEN_PORT, value: '1'},
                  {name: POD_NAME, value: x}, {name: MINE, value: first}, {name: MINE, value: last},
                  {name: KUBEWARDEN_LOG_FMT, value: json}]}"""));

        assertThat(environment.ignored()).containsExactly("KUBEWARDEN_PORT", "KUBEWARDEN_STANDALONE", "POD_NAME");
        assertThat(environment.variables())
                .filteredOn(variable -> variable.getName().equals("MINE"))
                .singleElement()
                .returns("last", variable -> variable.getValue());
        assertThat(environment.variables())
                .extracting(variable -> variable.getName())
                .doesNotHaveDuplicates()
                .doesNotContain("KUBEWARDEN_STANDALONE")
                .contains("KUBEWARDEN_LOG_FMT");
    }

    @Test
    void telemetryReplacesUserVariables() {
        var environment = PodEnvironment.of(SampleServers.serverSpec(
                "{image: i, replicas: 1, env: [{name: KUBEWARDEN_LOG_FMT, value: json}]}",
                SampleServers.with(SampleServers.COLLECTOR)));

        assertThat(environment.ignored()).containsExactly("KUBEWARDEN_LOG_FMT");
    }

    @Test
    void passesOnlyExporterVariables() {
        assertThat(env(SampleServers.serverSpec(MINIMAL, SampleServers.with(SampleServers.COLLECTOR))))
                .containsEntry("OTEL_EXPORTER_OTLP_ENDPOINT", "https://collector:4317")
                .doesNotContainKey("PATH");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; []",
                "{namespacedPoliciesCapabilities: []}; []",
                "{namespacedPoliciesCapabilities: ['*']}; [\"*\"]",
                "{tenancy: {}}; []",
                "{tenancy: {capabilities: [net/*]}}; [\"net/*\"]",
            })
    void namespacedPoliciesHaveOnlyTheCapabilitiesThatTheServerGrants(String extra, String expected) {
        var spec = MINIMAL.substring(0, MINIMAL.length() - 1) + ", " + extra.substring(1);

        assertThat(env(SampleServers.serverSpec(spec)).get("KUBEWARDEN_NAMESPACED_POLICIES_CAPABILITIES"))
                .isEqualTo(expected);
    }

    @Test
    void hostCallsReachOnlyTheNetworksThatTheServerAllows() {
        var spec = MINIMAL.substring(0, MINIMAL.length() - 1)
                + ", tenancy: {hostCalls: {allowedNetworks: [10.0.0.0/8, registry.internal]}}, env: [{name: KUBEWARDEN_HOST_CALL_ALLOWED_NETWORKS, value: 0.0.0.0/0}]}";

        assertThat(env(SampleServers.serverSpec(MINIMAL))).doesNotContainKey("KUBEWARDEN_HOST_CALL_ALLOWED_NETWORKS");
        assertThat(env(SampleServers.serverSpec(spec)))
                .containsEntry("KUBEWARDEN_HOST_CALL_ALLOWED_NETWORKS", "10.0.0.0/8,registry.internal");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; 443 6443",
                "{insecureSources: ['localhost:5000', plain.example.com]}; 80 443 5000 6443",
                "{sourceAuthorities: {'registry.example.com:8443': []}}; 443 6443 8443",
                "{sourceAuthoritiesFrom: {'registry.example.com:8444': []}}; 443 6443 8444",
                "{tenancy: {moduleSources: {registries: ['r:5001', '[::1]:5002'], repositories: ['r:5003/a/*']}}}; 443 5001 5002 5003 6443",
                "{tenancy: {moduleSources: {schemes: [http]}}}; 80 443 6443",
                "{insecureSources: ['r:99999', 'r:x']}; 80 443 6443",
            })
    void allowsEgressToTheSourcesOfTheServer(String extra, String expected) {
        var spec = MINIMAL.substring(0, MINIMAL.length() - 1) + ", " + extra.substring(1);
        var settings = new ServerDefaults(
                SampleServers.NAMESPACE,
                List.of(),
                false,
                false,
                Optional.empty(),
                ServerDefaults.Telemetry.OFF,
                new ServerDefaults.Network(true, List.of(6443, 443)),
                SampleServers.CONTROLLER);
        var policy = DesiredNetworkPolicy.of(SampleServers.serverSpec(spec, settings))
                .orElseThrow();

        assertThat(policy.getSpec().getEgress().getLast().getPorts().stream()
                        .map(port -> port.getPort().getIntVal().toString())
                        .collect(Collectors.joining(" ")))
                .isEqualTo(expected);
    }

    @Test
    void doesNotUseThePolicyPullSecretForThePod() {
        var pod = pod(SampleServers.serverSpec("{image: i, replicas: 1, imagePullSecret: registry}"));

        assertThat(pod.getImagePullSecrets()).isEmpty();
        assertThat(pod.getVolumes())
                .filteredOn(volume -> volume.getName().equals("imagepullsecret"))
                .singleElement()
                .returns("registry", volume -> volume.getSecret().getSecretName());
    }

    @Test
    void scalingDoesNotChangeThePodTemplate() {
        var one = SampleServers.statefulSet(SampleServers.serverSpec("{image: i, replicas: 1}"));
        var three = SampleServers.statefulSet(SampleServers.serverSpec("{image: i, replicas: 3}"));

        assertThat(three.getSpec().getTemplate()).isEqualTo(one.getSpec().getTemplate());
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // replicas, minAvailable, maxUnavailable → budget
                "0, -, -, none",
                "1, -, -, min 1",
                "2, -, -, max 1",
                "1, 1, -, min 1",
                "3, 50%, -, min 50%",
                "3, -, 2, max 2",
            })
    void createsADisruptionBudgetWhenItIsUseful(int replicas, String min, String max, String expected) {
        var spec = "{image: i, replicas: " + replicas + (min == null ? "" : ", minAvailable: " + min)
                + (max == null ? "" : ", maxUnavailable: " + max) + "}";

        var budget = DesiredObjects.disruptionBudget(SampleServers.serverSpec(spec))
                .map(found -> found.getSpec().getMinAvailable() != null
                        ? "min " + found.getSpec().getMinAvailable().getValue()
                        : "max " + found.getSpec().getMaxUnavailable().getValue());

        assertThat(budget.orElse("none")).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; false; emptyDir",
                "{mode: Ephemeral, size: 1Gi}; false; emptyDir 1Gi",
                "{mode: Shared}; true; policy-server-a-cache",
                "{mode: Shared, claimName: mine}; false; mine",
            })
    void sharesTheCacheWhenConfigured(String cache, boolean isClaimed, String expected) {
        var serverSpec = SampleServers.serverSpec("{image: i, replicas: 1, cache: " + cache + "}");

        var volume = pod(serverSpec).getVolumes().stream()
                .filter(found -> found.getName().equals("cache"))
                .findFirst()
                .orElseThrow();
        var actual = volume.getEmptyDir() == null
                ? volume.getPersistentVolumeClaim().getClaimName()
                : ("emptyDir "
                                + Optional.ofNullable(volume.getEmptyDir().getSizeLimit())
                                        .map(Object::toString)
                                        .orElse(""))
                        .strip();
        assertThat(actual).isEqualTo(expected);
        assertThat(DesiredObjects.cacheClaim(serverSpec).isPresent()).isEqualTo(isClaimed);
    }

    /** Two servers may name one claim. Neither finds, nor deletes, files of the other. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "{}; /cache; ephemeral",
                "{mode: Ephemeral, size: 1Gi}; /cache; ephemeral",
                "{mode: Shared}; /cache/a; shared",
                "{mode: Shared, claimName: mine}; /cache/a; shared",
            })
    void givesEachServerItsOwnDirectoryInASharedCache(String cache, String directory, String mode) {
        var serverSpec = SampleServers.serverSpec("{image: i, replicas: 1, cache: " + cache + "}");

        var variables = PodEnvironment.of(serverSpec).variables();

        assertThat(variables)
                .filteredOn(variable -> variable.getName().startsWith("KUBEWARDEN_CACHE_DIR")
                        || variable.getName().equals("KUBEWARDEN_CACHE_MODE"))
                .extracting(EnvVar::getValue)
                .containsExactly(directory, mode);
    }

    /** A migration without a Deployment to migrate from. */
    private static Migration complete(ServerNames names) {
        return Migration.decide(
                names, Optional.empty(), Optional.empty(), Rollout.of(Optional.empty()), List.of(), Instant.EPOCH);
    }

    @Test
    void exposesMetricsOnTheProbePort() {
        var service = DesiredServices.forWebhooks(
                SampleServers.serverSpec(MINIMAL, SampleServers.with(SampleServers.COLLECTOR)),
                complete(new ServerNames("a")));

        assertThat(service.getSpec().getPorts())
                .extracting(ServicePort::getPort, port -> port.getTargetPort().getIntVal())
                .containsExactly(tuple(443, 8443), tuple(8080, 8081));
    }

    @Test
    void shortensLongNames() {
        var names = new ServerNames("n".repeat(49));

        assertThat(names.main()).hasSize(63);
        assertThat(names.statefulSet()).hasSize(52).startsWith("policy-server-nnn");
        assertThat(names.podsService()).hasSizeLessThanOrEqualTo(63);
        assertThat(names.statefulSet()).isNotEqualTo(new ServerNames("n".repeat(48) + "m").statefulSet());
        assertThat(new ServerNames("short").statefulSet()).isEqualTo("policy-server-short");
    }

    /** Serialises with sorted map keys, so that the order of labels does not depend on the map. */
    private static String yaml(Object object) {
        var mapper = JsonMapper.builder()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build();
        try {
            return Serialization.asYaml(mapper.readValue(mapper.writeValueAsBytes(object), Map.class));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
