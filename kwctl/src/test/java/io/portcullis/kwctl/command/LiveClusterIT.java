package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.kwctl.KwctlProcess;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs context-aware policies with the real program against a real API server, through a kubeconfig. */
@Tag("level1")
@RealCluster
class LiveClusterIT {

    private final TestCluster cluster;

    @TempDir
    Path directory;

    private KwctlProcess kwctl;

    LiveClusterIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeEach
    void request() {
        kwctl = new KwctlProcess(directory)
                .with("KUBECONFIG", cluster.local().kubeconfig().toString());
        write("r.json", SamplePolicies.podRequest(false).replace("\"default\"", '"' + cluster.namespace() + '"'));
        write("labelled.json", "{\"requiredNamespaceLabel\":\"kubernetes.io/metadata.name\"}");
        write("other.json", "{\"requiredNamespaceLabel\":\"team\"}");
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    @Test
    void readsTheClusterAndReplaysTheRecording() {
        var live = kwctl.run(
                "run",
                SamplePolicies.WASI,
                "-r",
                "r.json",
                "--allow-context-aware",
                "-s",
                "labelled.json",
                "--record-host-capabilities-interactions",
                "session.yml");
        assertThat(live.out()).as(live.err()).contains("\"allowed\":true");
        assertThat(directory.resolve("session.yml"))
                .content()
                .contains("- type: Exchange", "!KubernetesGetResource", "name: " + cluster.namespace());

        var replayed = new KwctlProcess(directory)
                .run(
                        "run",
                        SamplePolicies.WASI,
                        "-r",
                        "r.json",
                        "--allow-context-aware",
                        "-s",
                        "labelled.json",
                        "--replay-host-capabilities-interactions",
                        "session.yml");
        assertThat(replayed).isEqualTo(live);

        var rejected =
                kwctl.run("run", SamplePolicies.WASI, "-r", "r.json", "--allow-context-aware", "-s", "other.json");
        assertThat(rejected.out()).contains("namespace " + cluster.namespace() + " has no label team");
        assertThat(rejected.code()).isZero();
    }

    @Test
    void readsOnlyGrantedResources() {
        var result = kwctl.run("run", SamplePolicies.WASI, "-r", "r.json", "-s", "labelled.json");

        assertThat(result.out()).contains("\"allowed\":false", "has not been granted access");
        assertThat(result.err()).contains("--allow-context-aware");
    }

    @Test
    void reportsForbiddenRequestsToThePolicy() {
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("nobody")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .build());
        var token = cluster.client()
                .serviceAccounts()
                .inNamespace(cluster.namespace())
                .withName("nobody")
                .tokenRequest(new TokenRequest())
                .getStatus()
                .getToken();
        var server = cluster.client().getConfiguration();
        write("nobody.yaml", """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "%s", insecure-skip-tls-verify: true}}]
                users: [{name: u, user: {token: "%s"}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(server.getMasterUrl(), token));

        var result = kwctl.with("KUBECONFIG", directory.resolve("nobody.yaml").toString())
                .run("run", SamplePolicies.WASI, "-r", "r.json", "--allow-context-aware", "-s", "labelled.json");

        assertThat(result.out()).as(result.err()).contains("\"allowed\":false", "forbidden");
        assertThat(result.code()).isZero();
    }

    @Test
    void reportsAMissingOrUnreachableCluster() {
        var none = new KwctlProcess(directory)
                .run("run", SamplePolicies.WASI, "-r", "r.json", "--allow-context-aware", "-s", "labelled.json");
        assertThat(none.code()).isEqualTo(1);
        assertThat(none.out()).isEmpty();
        assertThat(none.err()).contains("Error: Cannot read Kubernetes resources: no kubeconfig found");

        write("gone.yaml", """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
                users: [{name: u, user: {token: t}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """);
        var start = System.nanoTime();
        var gone = kwctl.with("KUBECONFIG", directory.resolve("gone.yaml").toString())
                .run("run", SamplePolicies.WASI, "-r", "r.json", "--allow-context-aware", "-s", "labelled.json");

        assertThat(gone.out()).as(gone.err()).contains("\"allowed\":false");
        assertThat(gone.code()).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(40));
    }

    /** These policies have no granted resources, so the connection opens at their first host call. */
    @Test
    void answersSubjectAccessReviewsWithoutAGrant() {
        write("can-i.json", """
                {"namespace":"kubernetes","operation":"can_i","payload":{"subjectAccessReview":{
                 "resourceAttributes":{"verb":"get","resource":"pods"},"user":"nobody"},"disableCache":false}}
                """);

        var result = kwctl.run("run", SamplePolicies.HOST_CALL, "-r", "r.json", "-s", "can-i.json");

        assertThat(result.out()).as(result.err()).contains("allowed").doesNotContain("not been granted");
        assertThat(result.code()).isZero();
    }

    @Test
    void discoversCustomKindsAndCachesThem() throws Exception {
        var crd = Serialization.unmarshal("""
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: oxen.kwctl.example.com}
                spec:
                  group: kwctl.example.com
                  scope: Namespaced
                  names: {kind: Ox, plural: oxen}
                  versions:
                  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
                """, CustomResourceDefinition.class);
        cluster.apply(crd);
        cluster.await(
                cluster.client().resource(crd),
                found -> found.getStatus() != null
                        && found.getStatus().getConditions().stream()
                                .anyMatch(condition -> condition.getType().equals("Established")
                                        && condition.getStatus().equals("True")),
                Duration.ofSeconds(60));
        write("ox.yaml", "{apiVersion: kwctl.example.com/v1, kind: Ox, metadata: {name: o}}");

        var asked = kwctl.run("scaffold", "admission-request", "-o", "CREATE", "--object", "ox.yaml");
        var cached =
                new KwctlProcess(directory).run("scaffold", "admission-request", "-o", "CREATE", "--object", "ox.yaml");

        var request = new JsonMapper().readTree(asked.out());
        assertThat(request.path("resource").path("resource").asText())
                .as(asked.err())
                .isEqualTo("oxen");
        assertThat(request.path("namespace").asText()).isEqualTo("default");
        assertThat(cached).isEqualTo(asked);
        assertThat(asked.err()).isEmpty();
    }
}
