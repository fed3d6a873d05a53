package io.portcullis.audit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.RunningProgram;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Creates policies with webhooks, objects and namespaces for one test on a real API server, and runs the scanner on
 * them.
 */
final class AuditFixture implements AutoCloseable {

    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Path CHARTS = Checkout.current().root().resolve("charts/portcullis-crds");

    final String namespace = "audit-" + UUID.randomUUID().toString().substring(0, 8);
    private final TestCluster cluster;
    private final Deque<HasMetadata> created = new ArrayDeque<>();

    AuditFixture(TestCluster cluster) {
        this.cluster = cluster;
        create(new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace)
                .addToLabels("audit", namespace)
                .endMetadata()
                .build());
    }

    /** Result of a run: exit code, log lines as JSON, standard error. */
    record ScanResult(int code, List<JsonNode> lines, String err) {

        JsonNode summary() {
            return lines.stream()
                    .map(line -> line.path("fields"))
                    .filter(fields -> fields.path("message").asText().startsWith("audit finished"))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no summary in " + lines + err));
        }
    }

    static void install(TestCluster cluster, String... files) {
        for (var file : files) {
            try (var in = Files.newInputStream(CHARTS.resolve(file))) {
                for (var definition : cluster.client().load(in).items()) {
                    awaitGone(cluster.client(), definition);
                    cluster.apply(definition);
                    cluster.await(
                            cluster.client()
                                    .apiextensions()
                                    .v1()
                                    .customResourceDefinitions()
                                    .withName(definition.getMetadata().getName()),
                            crd -> crd.getStatus() != null
                                    && crd.getStatus().getConditions() != null
                                    && crd.getStatus().getConditions().stream()
                                            .anyMatch(condition -> condition
                                                            .getType()
                                                            .equals("Established")
                                                    && condition.getStatus().equals("True")),
                            Duration.ofSeconds(30));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Removes CRDs that other test classes of the same cluster may have installed. */
    static void uninstall(TestCluster cluster, String file) {
        try (var in = Files.newInputStream(CHARTS.resolve(file))) {
            for (var definition : cluster.client().load(in).items()) {
                cluster.client().resource(definition).delete();
                cluster.client().resource(definition).waitUntilCondition(Objects::isNull, 30, TimeUnit.SECONDS);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until CRDs that another test class deletes are gone. */
    private static void awaitGone(KubernetesClient client, HasMetadata definition) {
        var live = client.resource(definition).get();
        if (live != null && live.getMetadata().getDeletionTimestamp() != null) {
            client.resource(definition).waitUntilCondition(Objects::isNull, 30, TimeUnit.SECONDS);
        }
    }

    <T extends HasMetadata> T create(T object) {
        created.push(object);
        return cluster.client().resource(object).create();
    }

    void createConfigMaps(int count) {
        for (var i = 0; i < count; i++) {
            create(new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("map-" + i)
                    .withNamespace(namespace)
                    .addToLabels("number", Integer.toString(i))
                    .endMetadata()
                    .addToData("key", "value")
                    .build());
        }
    }

    /**
     * Creates a cluster-wide policy whose webhook calls a URL and selects only this test's namespace.
     *
     * @param rule JSON of its only rule
     * @param more JSON fields of the webhook, starting with a comma
     */
    void createPolicy(String name, String rule, String url, String caBundle, String more) {
        createPolicy(PolicyKind.CLUSTER_ADMISSION_POLICY, name, rule, url, caBundle, more);
    }

    /** Creates a policy of any kind; its webhook selects only this test's namespace. */
    void createPolicy(PolicyKind kind, String name, String rule, String url, String caBundle, String more) {
        var ref = ref(kind, name);
        create(resource("""
            apiVersion: policies.kubewarden.io/v1
            kind: %s
            metadata: {name: %s%s}
            spec: %s
            """.formatted(
                        kind.wireName(),
                        ref.name(),
                        kind.isNamespaced() ? ", namespace: " + namespace : "",
                        kind.isGroup()
                                ? "{expression: a(), message: no, policies: {a: {module: 'registry://nowhere/p:1'}}, rules: [%s]}"
                                        .formatted(rule)
                                : "{module: 'registry://nowhere/p:1', mutating: false, rules: [%s]}".formatted(rule))));
        create(resource(webhook(ref, rule, url, caBundle, more)));
    }

    private PolicyRef ref(PolicyKind kind, String name) {
        return new PolicyRef(kind, kind.isNamespaced() ? namespace : "", name + "-" + namespace);
    }

    private String webhook(PolicyRef policy, String rule, String url, String caBundle, String more) {
        return """
            {"apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingWebhookConfiguration",
             "metadata": {"name": "%s", "labels": {"app.kubernetes.io/part-of": "kubewarden"},
                          "annotations": {"kubewardenPolicyName": "%s", "kubewardenPolicyNamespace": "%s"}},
             "webhooks": [{"name": "%s.kubewarden.admission", "admissionReviewVersions": ["v1"], "sideEffects": "None",
               "failurePolicy": "Ignore", "timeoutSeconds": 1, "rules": [%s],
               "namespaceSelector": {"matchLabels": {"audit": "%s"}},
               "clientConfig": {"url": "%s", "caBundle": "%s"} %s}]}
            """.formatted(
                        IdentityScheme.DOTTED.policyId(policy),
                        policy.name(),
                        policy.namespace(),
                        policy.name(),
                        rule,
                        namespace,
                        url,
                        Base64.getEncoder().encodeToString(caBundle.getBytes(StandardCharsets.US_ASCII)),
                        more);
    }

    /** Returns the ID of a cluster-wide policy. */
    String idOf(String name) {
        return idOf(PolicyKind.CLUSTER_ADMISSION_POLICY, name);
    }

    String idOf(PolicyKind kind, String name) {
        return IdentityScheme.DOTTED.policyId(ref(kind, name));
    }

    /** Changes the URL of a policy's webhook, as the controller does when a new generation is ready. */
    void move(String name, String url) {
        cluster.client()
                .admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName(idOf(name))
                .edit(webhook -> {
                    webhook.getWebhooks().getFirst().getClientConfig().setUrl(url);
                    return webhook;
                });
    }

    HasMetadata resource(String yaml) {
        return cluster.client().resource(yaml).item();
    }

    /** Runs the scanner on this test's namespace. */
    ScanResult scan(String... arguments) throws InterruptedException {
        var all = new ArrayList<>(List.of("-n", namespace, "--retry-interval", "5ms"));
        all.addAll(List.of(arguments));
        return run(cluster.local().kubeconfig(), all);
    }

    /** Starts the scanner as a process on this test's namespace, with the launcher's memory settings. */
    RunningProgram start(Path log, String... arguments) {
        var command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.add("@" + Checkout.current().root().resolve("distribution/launcher/jvm.options"));
        command.addAll(launcherFlags());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.portcullis.audit.Main"));
        command.addAll(List.of("-n", namespace));
        command.addAll(List.of(arguments));
        return RunningProgram.start(
                log, command, Map.of("KUBECONFIG", cluster.local().kubeconfig().toString()));
    }

    /** Returns the arguments after the main class in the launcher's list of programs. */
    private static List<String> launcherFlags() {
        var programs = Checkout.current().root().resolve("distribution/launcher/programs");
        try (var lines = Files.lines(programs)) {
            return lines.map(line -> List.of(line.split("\\s+")))
                    .filter(words -> words.getFirst().equals("audit-scanner"))
                    .map(words -> words.subList(2, words.size()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("no audit-scanner in " + programs));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static ScanResult run(Path kubeconfig, List<String> arguments) throws InterruptedException {
        var out = new ByteArrayOutputStream();
        var err = new ByteArrayOutputStream();
        var code = Main.run(
                arguments.toArray(String[]::new),
                Map.of("KUBECONFIG", kubeconfig.toString()),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8));
        return new ScanResult(
                code,
                out.toString(StandardCharsets.UTF_8)
                        .lines()
                        .map(AuditFixture::tree)
                        .toList(),
                err.toString(StandardCharsets.UTF_8));
    }

    static JsonNode tree(String json) {
        try {
            return MAPPER.readTree(json);
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + json, e);
        }
    }

    /** Returns the reports of this test's namespace by object name. */
    Map<String, JsonNode> reports(String groupVersion, String plural) {
        Map<String, JsonNode> reports = new HashMap<>();
        tree(cluster.client().raw("/apis/" + groupVersion + "/namespaces/" + namespace + "/" + plural))
                .path("items")
                .forEach(report -> reports.put(report.at("/scope/name").asText(), report));
        return reports;
    }

    Map<String, JsonNode> policyReports() {
        return reports("wgpolicyk8s.io/v1alpha2", "policyreports");
    }

    /** Returns the PolicyReport of an object. */
    JsonNode report(String object) {
        var report = policyReports().get(object);
        if (report == null) {
            throw new AssertionError("no report on " + object);
        }
        return report;
    }

    /** Returns the only result of a policy in a report. */
    JsonNode result(JsonNode report, String policy) {
        for (var result : report.path("results")) {
            if (result.path("policy").asText().equals(idOf(policy))) {
                return result;
            }
        }
        throw new AssertionError("no result of " + policy + " in " + report);
    }

    @Override
    public void close() {
        created.forEach(this::remove);
    }

    /**
     * Deletes an object unless it is already terminating. A terminating namespace stays at level 1, because no
     * controller removes its content.
     */
    private void remove(HasMetadata object) {
        var live = cluster.client().resource(object).get();
        if (live != null && live.getMetadata().getDeletionTimestamp() == null) {
            cluster.client().resource(object).delete();
        }
    }
}
