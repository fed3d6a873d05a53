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

/** Tests a scanner with missing RBAC permissions on a real API server. */
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
    private final AuditFixture fixture;
    private final ScriptedPolicyServer server = ScriptedPolicyServer.start(_ -> ScriptedPolicyServer.ALLOWED);

    @TempDir
    Path dir;

    AuditPermissionsIT(TestCluster cluster) {
        this.cluster = cluster;
        this.fixture = new AuditFixture(cluster);
    }

    @BeforeAll
    static void install(TestCluster cluster) {
        cluster.installCrds();
        AuditFixture.install(cluster, "reports/wgpolicyk8s.io.yaml");
    }

    @BeforeEach
    void createObjects() {
        fixture.createConfigMaps(2);
        fixture.create(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("scanner")
                .withNamespace(fixture.namespace)
                .endMetadata()
                .build());
        fixture.createPolicy("maps", MAPS, server.url() + "/validate/p", server.caBundle(), "");
        fixture.createPolicy("accounts", ACCOUNTS, server.url() + "/validate/p", server.caBundle(), "");
    }

    @AfterEach
    void end() {
        fixture.close();
        server.close();
    }

    private AuditFixture.ScanResult scanWith(String... rules) throws IOException, InterruptedException {
        var kubeconfig = kubeconfig(String.join(", ", rules));
        return AuditFixture.run(kubeconfig, List.of("-n", fixture.namespace, "--retry-interval", "5ms"));
    }

    private Path kubeconfig(String rules) throws IOException {
        fixture.create(fixture.resource("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRole
            metadata: {name: %s}
            rules: [%s]
            """.formatted(fixture.namespace, rules)));
        fixture.create(fixture.resource("""
            apiVersion: rbac.authorization.k8s.io/v1
            kind: ClusterRoleBinding
            metadata: {name: %1$s}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: %1$s}
            subjects: [{kind: ServiceAccount, name: scanner, namespace: %1$s}]
            """.formatted(fixture.namespace)));
        var token = cluster.client()
                .serviceAccounts()
                .inNamespace(fixture.namespace)
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
    void keepsReportsOfATypeThatItMayNotList() throws Exception {
        fixture.create(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("gone")
                .withNamespace(fixture.namespace)
                .endMetadata()
                .build());
        assertThat(fixture.scan().code()).isZero();
        assertThat(fixture.policyReports()).containsOnlyKeys("map-0", "map-1", "gone", "scanner");
        cluster.client()
                .configMaps()
                .inNamespace(fixture.namespace)
                .withName("gone")
                .delete();

        var ended = scanWith(READ_OBJECTS.replace(", configmaps", ""), READ_POLICIES, WRITE_REPORTS);

        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lines().toString()).contains("cannot list resource");
        assertThat(ended.summary().path("lists_failed").asInt()).isEqualTo(1);
        assertThat(ended.summary().path("pass").asInt()).as("the account").isEqualTo(1);
        assertThat(fixture.policyReports())
                .as("the scanner cannot detect which of them still exist")
                .containsOnlyKeys("map-0", "map-1", "gone", "scanner");
    }

    @Test
    void evaluatesObjectsWithoutPermissionToWriteReports() throws Exception {
        var ended = scanWith(READ_OBJECTS, READ_POLICIES, READ_REPORTS);

        assertThat(ended.code()).as("%s", ended).isEqualTo(1);
        assertThat(ended.lines().stream()
                        .map(line -> line.path("fields"))
                        .filter(fields -> fields.path("message").asText().equals("a report cannot be stored")))
                .hasSize(3)
                .allSatisfy(fields -> assertThat(fields.path("error").asText()).contains("cannot patch resource"));
        assertThat(ended.summary().path("message").asText()).isEqualTo("audit finished with failures");
        assertThat(ended.summary().path("pass").asInt()).isEqualTo(3);
        assertThat(fixture.policyReports()).isEmpty();
    }

    @Test
    void auditsNothingIfPoliciesCannotBeListed() throws Exception {
        assertThat(fixture.scan().code()).isZero();
        var before = fixture.policyReports();

        var ended = scanWith(READ_OBJECTS, READ_POLICIES.replace("policies.kubewarden.io, ", ""), WRITE_REPORTS);

        assertThat(ended.code()).isEqualTo(1);
        assertThat(ended.err())
                .startsWith("error: nothing was audited: ")
                .contains("cannot list resource")
                .hasLineCount(1);
        assertThat(fixture.policyReports()).isEqualTo(before);
    }
}
