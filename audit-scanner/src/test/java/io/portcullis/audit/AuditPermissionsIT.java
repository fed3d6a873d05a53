package io.portcullis.audit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A scanner whose service account may do less than it wants to, on a real API server. */
@Tag("level1")
@RealCluster
class AuditPermissionsIT {

    private static final String MAPS =
            "{\"apiGroups\": [\"\"], \"apiVersions\": [\"v1\"], \"resources\": [\"configmaps\"], \"operations\":"
                    + " [\"*\"]}";
    private static final String ACCOUNTS = MAPS.replace("configmaps", "serviceaccounts");
    private static final String READ_OBJECTS =
            "{apiGroups: [\"\"], resources: [namespaces, serviceaccounts, configmaps], verbs: [get, list]}";
    private static final String READ_POLICIES =
            "{apiGroups: [policies.kubewarden.io, admissionregistration.k8s.io], resources: [\"*\"], verbs: [get,"
                    + " list]}";
    private static final String WRITE_REPORTS =
            "{apiGroups: [wgpolicyk8s.io], resources: [\"*\"], verbs: [get, list, create, patch, delete]}";
    private static final String READ_REPORTS = "{apiGroups: [wgpolicyk8s.io], resources: [\"*\"], verbs: [get, list]}";

    private final TestCluster cluster;
    private final AuditFixture world;
    private final ScriptedPolicyServer server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED);

    @TempDir
    Path dir;

    AuditPermissionsIT(TestCluster cluster) {
        this.cluster = cluster;
        this.world = new AuditFixture(cluster);
    }

    @BeforeAll
    static void install(TestCluster cluster) {
        cluster.defineOurKinds();
        AuditFixture.install(cluster, "reports/wgpolicyk8s.io.yaml");
    }

    @BeforeEach
    void makeObjects() {
        world.makeConfigMaps(2);
        world.make(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("scanner")
                .withNamespace(world.namespace)
                .endMetadata()
                .build());
        world.makePolicy("maps", MAPS, server.url() + "/validate/p", server.caBundle(), "");
        world.makePolicy("accounts", ACCOUNTS, server.url() + "/validate/p", server.caBundle(), "");
    }

    @AfterEach
    void end() {
        world.close();
        server.close();
    }

    private AuditFixture.Ended scanWith(String... rules) throws IOException, InterruptedException {
        var kubeconfig = kubeconfig(String.join(", ", rules));
        return AuditFixture.run(kubeconfig, List.of("-n", world.namespace, "--retry-interval", "5ms"));
    }

    private Path kubeconfig(String rules) throws IOException {
        world.make(world.resource("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: %s}
            rules: [%s]
            """.formatted(world.namespace, rules)));
        world.make(world.resource("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: %1$s}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %1$s}
            subjects: [{kind: ServiceAccount, name: scanner, namespace: %1$s}]
            """.formatted(world.namespace)));
        var token = cluster.client()
                .serviceAccounts()
                .inNamespace(world.namespace)
                .withName("scanner")
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(3600L)
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
        return Files.writeString(dir.resolve("kubeconfig"), """
            apiVersion: v1
            kind: Config
            current-context: c
            contexts: [{name: c, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
            users: [{name: u, user: {token: "%s"}}]
            """.formatted(
                        cluster.client().getConfiguration().getMasterUrl(), token));
    }

    @Test
    void aForbiddenListKeepsItsReportsAndStopsNobody() throws Exception {
        world.make(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("gone")
                .withNamespace(world.namespace)
                .endMetadata()
                .build());
        assertThat(world.scan().code()).isZero();
        assertThat(world.policyReports()).containsOnlyKeys("map-0", "map-1", "gone", "scanner");
        cluster.client()
                .configMaps()
                .inNamespace(world.namespace)
                .withName("gone")
                .delete();

        var ended = scanWith(READ_OBJECTS.replace(", configmaps", ""), READ_POLICIES, WRITE_REPORTS);

        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lines().toString()).contains("cannot list resource");
        assertThat(ended.summary().path("lists_failed").asInt()).isEqualTo(1);
        assertThat(ended.summary().path("pass").asInt()).as("the account").isEqualTo(1);
        assertThat(world.policyReports())
                .as("nobody could see which of them still exist")
                .containsOnlyKeys("map-0", "map-1", "gone", "scanner");
    }

    @Test
    void whoMayNotWriteReportsJudgesAllTheSameAndSaysSo() throws Exception {
        var ended = scanWith(READ_OBJECTS, READ_POLICIES, READ_REPORTS);

        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lines().stream()
                        .map(line -> line.path("fields"))
                        .filter(fields -> fields.path("message").asText().equals("a report cannot be stored")))
                .hasSize(3)
                .allSatisfy(fields -> assertThat(fields.path("error").asText()).contains("cannot patch resource"));
        assertThat(ended.summary().path("message").asText()).isEqualTo("audit finished with failures");
        assertThat(ended.summary().path("pass").asInt()).isEqualTo(3);
        assertThat(world.policyReports()).isEmpty();
    }

    @Test
    void withoutAllPoliciesNothingIsJudgedAndNothingIsWritten() throws Exception {
        assertThat(world.scan().code()).isZero();
        var before = world.policyReports();

        var ended = scanWith(READ_OBJECTS, READ_POLICIES.replace("policies.kubewarden.io, ", ""), WRITE_REPORTS);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("error: nothing was audited: ")
                .contains("cannot list resource")
                .hasLineCount(1);
        assertThat(world.policyReports()).isEqualTo(before);
    }
}
