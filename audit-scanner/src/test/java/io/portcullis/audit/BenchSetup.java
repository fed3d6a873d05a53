package io.portcullis.audit;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.program.FreePort;
import io.portcullis.testkit.program.RunningProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sets up the benchmark: many objects, policies that apply to all of them, and the real policy server. */
record BenchSetup(KubernetesClient client, Path work) {

    /** Small policies for pods and for any object, with the settings that they need. */
    private static final Map<String, String> MODULES = Map.of(
            "privileged-pods", "{}",
            "opa-denied-labels", "{denied: [forbidden]}",
            "gatekeeper-privileged-containers", "{exempt: []}",
            "run-as-user", "{runAsUser: 1000}");

    /** Creates the objects. Call this before creating policies, so that no webhook is called. */
    void createObjects(int count) {
        createNamespaces();
        var types = BenchType.values();
        IntStream.range(0, count)
                .parallel()
                .forEach(i -> client.resource(types[i % types.length].create(i)).create());
    }

    private void createNamespaces() {
        for (int i = 0; i < BenchType.NAMESPACES; i++) {
            client.resource(new NamespaceBuilder()
                            .withNewMetadata()
                            .withName("bench-" + i)
                            .addToLabels("bench", "yes")
                            .endMetadata()
                            .build())
                    .create();
            client.resource(new ServiceAccountBuilder()
                            .withNewMetadata()
                            .withName("default")
                            .withNamespace("bench-" + i)
                            .endMetadata()
                            .build())
                    .create();
        }
    }

    /** Starts a policy server with this many policies, and creates a webhook for each. */
    RunningProgram startPolicies(int count) throws IOException {
        var certificate = ServingCertificate.forNames("127.0.0.1");
        int port = FreePort.find();
        var server = policyServer(port, certificate, count);
        createPolicies(port, certificate, count);
        return server;
    }

    private RunningProgram policyServer(int port, ServingCertificate certificate, int policies) throws IOException {
        var names = MODULES.keySet().stream().sorted().toList();
        var root = Checkout.current().root().resolve("policies");
        Files.writeString(
                work.resolve("policies.yml"),
                IntStream.range(0, policies)
                        .mapToObj(i -> {
                            var name = names.get(i % names.size());
                            return "bench-%d: {module: %s, allowedToMutate: true, settings: %s}%n"
                                    .formatted(
                                            i,
                                            root.resolve(name)
                                                    .resolve("policy.wasm")
                                                    .toUri(),
                                            MODULES.get(name));
                        })
                        .collect(Collectors.joining()));
        Files.writeString(work.resolve("tls.crt"), certificate.certificatePem());
        Files.writeString(work.resolve("tls.key"), certificate.privateKeyPem());
        return RunningProgram.start(
                        work.resolve("server.log"),
                        List.of(
                                Checkout.current().program("policy-server").toString(),
                                "--standalone",
                                "--addr=127.0.0.1",
                                "--port=" + port,
                                "--readiness-probe-port=" + FreePort.find(),
                                "--policies=" + work.resolve("policies.yml"),
                                "--policies-download-dir=" + work.resolve("store"),
                                "--drain-lag=0s",
                                "--log-level=warn",
                                "--cert-file=" + work.resolve("tls.crt"),
                                "--key-file=" + work.resolve("tls.key")),
                        Map.of())
                .awaitPort(port, Duration.ofMinutes(2));
    }

    private void createPolicies(int port, ServingCertificate certificate, int policies) {
        var resources = Arrays.stream(BenchType.values())
                .map(type -> "\"" + type.plural() + "\"")
                .collect(Collectors.joining(","));
        var rule = "{\"apiGroups\": [\"\"], \"apiVersions\": [\"v1\"], \"resources\": [" + resources
                + "], \"operations\": [\"CREATE\"]}";
        var bundle =
                Base64.getEncoder().encodeToString(certificate.certificatePem().getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < policies; i++) {
            client.resource("""
                apiVersion: policies.kubewarden.io/v1
                kind: ClusterAdmissionPolicy
                metadata: {name: bench-%d}
                spec: {module: "registry://nowhere/p:1", mutating: false, rules: [%s]}
                """.formatted(i, rule)).create();
            client.resource("""
                {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
                 "metadata": {"name": "kw.cap.bench-%1$d", "labels": {"app.kubernetes.io/part-of": "kubewarden"},
                              "annotations": {"kubewardenPolicyName": "bench-%1$d", "kubewardenPolicyNamespace": ""}},
                 "webhooks": [{"name": "bench-%1$d.kubewarden.admission", "admissionReviewVersions": ["v1"],
                   "sideEffects": "None", "failurePolicy": "Ignore", "timeoutSeconds": 1, "rules": [%2$s],
                   "namespaceSelector": {"matchLabels": {"bench": "yes"}},
                   "clientConfig": {"url": "https://127.0.0.1:%3$d/validate/bench-%1$d", "caBundle": "%4$s"}}]}
                """.formatted(i, rule, port, bundle)).create();
        }
    }
}
