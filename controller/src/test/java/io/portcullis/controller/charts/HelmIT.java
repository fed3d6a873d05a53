package io.portcullis.controller.charts;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.testkit.cluster.Level;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.NeedsTools;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Helm upgrades on a real API server: from Kubewarden to our chart, and to later versions of it. No pods run here. */
@Tag("level1")
@RealCluster(level = Level.API)
@NeedsTools({"helm", "kubectl"})
class HelmIT {

    /**
     * The relevant parts of Kubewarden's chart: an authority that helm created, and objects with names that we also
     * use.
     */
    private static final String KUBEWARDEN = """
            apiVersion: v1
            kind: Secret
            metadata: {name: kubewarden-ca, namespace: {{ .Release.Namespace }}}
            stringData: {ca.crt: certificate, ca.key: key}
            ---
            apiVersion: v1
            kind: Secret
            metadata: {name: kubewarden-webhook-server-cert, namespace: {{ .Release.Namespace }}}
            stringData: {tls.crt: certificate, tls.key: key}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: kubewarden-controller-webhook-service, namespace: {{ .Release.Namespace }}}
            spec: {selector: {app: other}, ports: [{port: 443, targetPort: webhook-server}]}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: kubewarden-controller, namespace: {{ .Release.Namespace }}}
            spec:
              selector: {matchLabels: {app: other}}
              template: {metadata: {labels: {app: other}}, spec: {containers: [{name: manager, image: old}]}}
            ---
            apiVersion: admissionregistration.k8s.io/v1
            kind: ValidatingWebhookConfiguration
            metadata: {name: kubewarden-controller-validating-webhook-configuration}
            webhooks:
              - name: vpolicyserver.kb.io
                admissionReviewVersions: [v1]
                sideEffects: None
                failurePolicy: Ignore
                clientConfig: {service: {name: kubewarden-controller-webhook-service, namespace: {{ .Release.Namespace }}}}
                rules: [{apiGroups: [policies.kubewarden.io], apiVersions: [v1], resources: [policyservers], operations: [CREATE]}]
            """;

    private final TestCluster cluster;

    HelmIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    /** Without hooks, because the hook needs a Job and no pods run here. */
    @AfterEach
    void uninstall() {
        command(List.of(helm(), "uninstall", "kubewarden-controller", "--no-hooks", "--ignore-not-found"));
    }

    private static String helm() {
        return Tools.current().path("helm").toString();
    }

    private String command(List<String> words) {
        var all = new ArrayList<>(words);
        all.add(1, "--namespace=" + cluster.namespace());
        return ShellCommand.of(all)
                .with("KUBECONFIG", cluster.local().kubeconfig().toString())
                .run();
    }

    private String kubectl(String... words) {
        var all = new ArrayList<>(List.of(Tools.current().path("kubectl").toString()));
        all.addAll(List.of(words));
        return command(all);
    }

    private void upgrade(Path chart, String... values) {
        var words = new ArrayList<>(List.of(helm(), "upgrade", "--install", "kubewarden-controller", chart.toString()));
        for (var value : values) {
            words.addAll(List.of("--set", value));
        }
        command(words);
    }

    /** Follows docs/operators/migration.md. */
    @Test
    void upgradesAKubewardenReleaseAndKeepsItsAuthority(@TempDir Path directory) throws IOException {
        cluster.installCrds();
        Files.createDirectories(directory.resolve("templates"));
        Files.writeString(
                directory.resolve("Chart.yaml"), "apiVersion: v2\nname: kubewarden-controller\nversion: 5.0.0\n");
        Files.writeString(directory.resolve("templates/all.yaml"), KUBEWARDEN);
        upgrade(directory);

        kubectl("delete", "deployment", "kubewarden-controller");
        kubectl("annotate", "secret", "kubewarden-ca", "helm.sh/resource-policy=keep");
        kubectl("annotate", "clusteradmissionpolicies,policyservers", "--all", "helm.sh/resource-policy=keep");
        upgrade(new Chart("portcullis").path());

        assertThat(kubectl("get", "secret", "kubewarden-ca", "-o", "jsonpath={.data.ca\\.key}"))
                .as("the authority is kept; base64 of its key")
                .isEqualTo("a2V5");
        assertThat(kubectl("get", "secrets", "-o", "name"))
                .as("a Secret that our controller creates itself is not kept")
                .doesNotContain("kubewarden-webhook-server-cert");
        assertThat(kubectl("get", "deployment", "kubewarden-controller", "-o", "jsonpath={..containers[*].args}"))
                .contains("--deployments-namespace=" + cluster.namespace());
        assertThat(kubectl(
                        "get",
                        "validatingwebhookconfiguration",
                        "kubewarden-controller-validating-webhook-configuration",
                        "-o",
                        "jsonpath={.webhooks[*].name}"))
                .contains("vpolicyserver.kb.io", "vpolicyrevision.kb.io");
        assertThat(kubectl(
                        "get", "service", "kubewarden-controller-webhook-service", "-o", "jsonpath={.spec.selector}"))
                .doesNotContain("other");

        // The upgrade to the next version with all options enabled changes no immutable field.
        upgrade(nextVersion(directory.resolve("next")), ChartsTest.EVERYTHING);
        assertThat(command(List.of(helm(), "list", "-o", "json")))
                .contains("\"revision\":\"3\"", "portcullis-99.0.0", "\"status\":\"deployed\"");
        upgrade(new Chart("portcullis").path());
        assertThat(kubectl("get", "secret", "kubewarden-ca", "-o", "name")).contains("kubewarden-ca");
    }

    private static Path nextVersion(Path copy) throws IOException {
        var chart = new Chart("portcullis").path();
        try (var files = Files.walk(chart)) {
            for (Path file : files.toList()) {
                Files.copy(file, copy.resolve(chart.relativize(file)));
            }
        }
        var description = copy.resolve("Chart.yaml");
        Files.writeString(
                description, Files.readString(description).replaceFirst("(?m)^version: .*$", "version: 99.0.0"));
        return copy;
    }
}
