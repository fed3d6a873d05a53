package io.portcullis.kwctl.command;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.sun.net.httpserver.HttpServer;
import io.portcullis.kwctl.KwctlRunner;
import io.portcullis.kwctl.SamplePolicies;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanCommandTest {

    private static final String PODS = """
            apiVersion: policies.kubewarden.io/v1
            kind: ClusterAdmissionPolicy
            metadata: {name: %s}
            spec:
              module: file://%s
              mode: %s
              mutating: %s
              rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}]
              %s
            ---
            """;
    private static final String GOOD_POD =
            "{apiVersion: v1, kind: Pod, metadata: {name: good}, spec: {containers: [{name: c}]}}";
    private static final String BAD_POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: bad, namespace: shop}
            spec: {containers: [{name: c, securityContext: {privileged: true}}]}
            """;

    @TempDir
    Path directory;

    private KwctlRunner kwctl;

    @BeforeEach
    void manifests() throws Exception {
        kwctl = new KwctlRunner(directory);
        Files.createDirectories(directory.resolve("manifests/deep"));
        write("manifests/a.yaml", "# a comment\n---\n" + GOOD_POD + "\n---\n" + BAD_POD);
        write("manifests/deep/list.json", """
                {"apiVersion": "v1", "kind": "List", "items": [{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}]}
                """);
        write("manifests/values.yaml", "replicas: 3\n");
        policies("protect", "false", "");
    }

    private void write(String name, String text) {
        SamplePolicies.write(directory.resolve(name), text);
    }

    private void policies(String mode, String mutating, String more) {
        write("policies.yaml", PODS.formatted("no-privileged", SamplePolicies.PRIVILEGED_PODS, mode, mutating, more));
    }

    @Test
    void reportsOnlyRejectionsWithTheirLocation() {
        var result = kwctl.run("scan", "-p", "policies.yaml", "manifests");

        assertThat(result.out()).isEqualTo("""
                        REJECTED  manifests/a.yaml:5 Pod shop/bad: no-privileged: Privileged container is not allowed

                        1 rejected, 0 only monitored, 0 mutated, 1 allowed, 1 not asked
                        """);
        assertThat(result.err()).contains("not a Kubernetes object, passed over file=manifests/values.yaml line=1");
        assertThat(result.code()).isEqualTo(3);
    }

    @Test
    void reportsEverythingOnRequest() {
        assertThat(kwctl.run("scan", "--all", "--fail-on", "never", "-p", "policies.yaml", "manifests"))
                .satisfies(result -> assertThat(result.code()).isZero())
                .satisfies(
                        result -> assertThat(result.out())
                                .contains("ALLOWED  manifests/a.yaml:3 Pod good: no-privileged\n")
                                .contains(
                                        "SKIPPED  manifests/deep/list.json:1 Service s: no-privileged: no rule matches CREATE of"));
    }

    @Test
    void readsStandardInput() {
        assertThat(kwctl.input(GOOD_POD).run("scan", "-p", "policies.yaml", "-").code())
                .isZero();
        assertThat(kwctl.input(BAD_POD).run("scan", "-p", "policies.yaml", "-").out())
                .startsWith("REJECTED  -:1 Pod shop/bad: ");
    }

    @Test
    void failsOnMonitoredVerdictsOnlyOnRequest() {
        policies("monitor", "false", "");

        var result = kwctl.run("scan", "-p", "policies.yaml", "manifests");

        assertThat(result.out()).startsWith("MONITORED  manifests/a.yaml:5 Pod shop/bad: no-privileged: Privileged");
        assertThat(result.code()).isZero();
        assertThat(kwctl.run("scan", "--fail-on", "monitor", "-p", "policies.yaml", "manifests")
                        .code())
                .isEqualTo(3);
    }

    /** Namespace labels come from scanned namespaces, else from the command line. */
    @Test
    void honoursNamespaceSelectors() {
        policies("protect", "false", "namespaceSelector: {matchLabels: {team: a}}");

        assertThat(kwctl.run("scan", "-p", "policies.yaml", "manifests").code()).isZero();
        assertThat(kwctl.run("scan", "--namespace-label", "team=a", "-p", "policies.yaml", "manifests")
                        .code())
                .isEqualTo(3);
        write(
                "manifests/namespace.yaml",
                "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {team: a}}}");
        assertThat(kwctl.run("scan", "-p", "policies.yaml", "manifests").code()).isEqualTo(3);
        assertThat(kwctl.run("scan", "--namespace-label", "team", "-p", "policies.yaml", "manifests")
                        .err())
                .contains("Error: 'team' is not a label");
    }

    /** Mutating policies run first, in any order of the file. The other policies evaluate the result. */
    @Test
    void passesChangesOfMutatingPoliciesToLaterPolicies() {
        write(
                "policies.yaml",
                PODS.formatted(
                                "needs-user",
                                SamplePolicies.RUN_AS_USER,
                                "protect",
                                "false",
                                "settings: {runAsUser: 7, runAsGroup: 8}")
                        + PODS.formatted(
                                "gives-user",
                                SamplePolicies.RUN_AS_USER,
                                "protect",
                                "true",
                                "settings: {runAsUser: 7, runAsGroup: 8}"));
        write("pod.yaml", GOOD_POD);

        assertThat(kwctl.run("scan", "--all", "-p", "policies.yaml", "pod.yaml").out())
                .isEqualTo("""
                        MUTATED  pod.yaml:1 Pod good: gives-user
                        ALLOWED  pod.yaml:1 Pod good: needs-user

                        0 rejected, 0 only monitored, 1 mutated, 1 allowed, 0 not asked
                        """);
    }

    @Test
    void takesPluralNamesFromScannedDefinitions() {
        write(
                "policies.yaml",
                PODS.formatted("no-oxen", SamplePolicies.PRIVILEGED_PODS, "protect", "false", "")
                        .replace("apiGroups: [\"\"]", "apiGroups: [farm.example.com]")
                        .replace("resources: [pods]", "resources: [oxen]"));
        write(
                "ox.yaml",
                BAD_POD.replace("apiVersion: v1", "apiVersion: farm.example.com/v1")
                        .replace("Pod", "Ox"));
        assertThat(kwctl.run("scan", "--all", "-p", "policies.yaml", "ox.yaml").out())
                .startsWith("SKIPPED");

        write("crd.yaml", """
                apiVersion: apiextensions.k8s.io/v1
                kind: CustomResourceDefinition
                metadata: {name: oxen.farm.example.com}
                spec: {group: farm.example.com, scope: Namespaced, names: {kind: Ox, plural: oxen}, versions: [{name: v1}]}
                """);
        assertThat(kwctl.run("scan", "-p", "policies.yaml", "ox.yaml", "crd.yaml")
                        .out())
                .doesNotContain("ox.yaml:1 Ox shop/bad: no-oxen: no rule");
        assertThat(kwctl.run("scan", "--all", "-p", "policies.yaml", "ox.yaml", "crd.yaml")
                        .out())
                .contains("ox.yaml:1 Ox shop/bad: no-oxen")
                .doesNotContain("SKIPPED  ox.yaml");
    }

    /** A minimal API server that only lists policies. {@code ClusterCommandsIT} uses a real one. */
    @Test
    void usesThePoliciesOfACluster() throws Exception {
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            var isCluster = exchange.getRequestURI().getPath().endsWith("/clusteradmissionpolicies");
            var list = """
                    {"apiVersion": "policies.kubewarden.io/v1", "kind": "List", "metadata": {}, "items": [%s]}
                    """.formatted(isCluster ? """
                    {"apiVersion": "policies.kubewarden.io/v1", "kind": "ClusterAdmissionPolicy", "metadata": {"name": "there"},
                     "spec": {"module": "file://%s", "settings": {}, "policyServer": "default", "mutating": false,
                      "allowInsideAdmissionControllerNamespace": false, "rules": [{"apiGroups": [""], "apiVersions": ["v1"],
                       "resources": ["pods"], "operations": ["CREATE"]}]}}
                    """.formatted(SamplePolicies.PRIVILEGED_PODS) : "");
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            try (var body = exchange.getResponseBody()) {
                body.write(list.getBytes(StandardCharsets.UTF_8));
            }
        });
        server.start();
        try {
            write("kubeconfig", """
                    apiVersion: v1
                    kind: Config
                    clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                    contexts: [{name: x, context: {cluster: c}}]
                    current-context: x
                    """.formatted(server.getAddress().getPort()));

            var result = kwctl.run("scan", "--from-cluster", "--kubeconfig", "kubeconfig", "manifests");

            assertThat(result.out()).as(result.err()).startsWith("REJECTED  manifests/a.yaml:5 Pod shop/bad: there: ");
            assertThat(result.code()).isEqualTo(3);
        } finally {
            server.stop(0);
        }
    }

    /** No registry listens at the address, so that a pull would fail. */
    @Test
    void fetchesOnlyPoliciesThatMatchTheManifests() {
        write("others.yaml", """
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: other}
                spec:
                  module: registry://localhost:1/other:v1
                  rules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE]}]
                """);

        var result = kwctl.run("scan", "-p", "others.yaml", "--all", "manifests");

        assertThat(result.code()).as(result.err()).isZero();
        assertThat(result.out()).contains("other: ").doesNotContain("REJECTED");
        assertThat(kwctl.run("scan", "--offline", "-p", "others.yaml", "manifests")
                        .code())
                .isZero();
    }

    @Test
    void reportsForMachines() throws Exception {
        var json = new JsonMapper()
                .readTree(kwctl.run("scan", "-o", "json", "-p", "policies.yaml", "manifests")
                        .out());
        assertThat(json.path("rejected").asInt()).isEqualTo(1);
        assertThat(json.at("/findings/0/line").asInt()).isEqualTo(5);

        var sarif = new JsonMapper()
                .readTree(kwctl.run("scan", "-o", "sarif", "-p", "policies.yaml", "manifests")
                        .out());
        var found = sarif.at("/runs/0/results/0");
        assertThat(found.path("ruleId").asText()).isEqualTo("no-privileged");
        assertThat(found.path("level").asText()).isEqualTo("error");
        assertThat(found.at("/locations/0/physicalLocation/artifactLocation/uri")
                        .asText())
                .isEqualTo("manifests/a.yaml");

        assertThat(kwctl.run("scan", "-o", "junit", "--report-path", "r.xml", "-p", "policies.yaml", "manifests"))
                .satisfies(result -> assertThat(result.out()).isEmpty())
                .satisfies(result -> assertThat(result.code()).isEqualTo(3));
        assertThat(directory.resolve("r.xml"))
                .content()
                .contains("<testsuites tests=\"2\" failures=\"1\">", "rejected: Privileged container is not allowed");
    }

    @Test
    void reportsInvalidInput() {
        write("broken.yaml", "a: [");

        assertThat(kwctl.run("scan", "manifests").err())
                .contains("Error: no policies: give --policies or --from-cluster");
        assertThat(kwctl.run("scan", "-p", "none.yaml", "manifests").err())
                .contains("Error: Cannot open YAML file none.yaml");
        assertThat(kwctl.run("scan", "-p", "policies.yaml", "none").err())
                .contains("Error: cannot read file none", "No such file or directory");
        assertThat(kwctl.run("scan", "-p", "policies.yaml", "broken.yaml").err())
                .contains("Error: cannot parse broken.yaml", "line 1");
        assertThat(kwctl.run("scan", "-p", "policies.yaml").code()).isEqualTo(2);
        policies("protect", "false", "settings: {skip_init_containers: 7}");
        assertThat(kwctl.run("scan", "-p", "policies.yaml", "manifests").err())
                .contains("Error: Provided settings are not valid");
        assertThat(kwctl.with("KUBECONFIG", "")
                        .run("scan", "--from-cluster", "manifests")
                        .err())
                .contains("no cluster is configured");
    }
}
