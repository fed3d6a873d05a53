package io.portcullis.controller;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperations;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.RuleWithOperationsBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfigBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.settings.ControllerSettings;
import io.portcullis.process.logging.LogFormat;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.FreePort;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;
import org.slf4j.event.Level;

/**
 * A controller in this JVM that a real API server calls. It includes our CRDs, the webhooks as the chart registers
 * them, and a ServiceAccount for the controller.
 */
final class RunningController implements AutoCloseable {

    static final String SERVICE = "kubewarden-controller-webhook-service";
    static final String VALIDATING = "kubewarden-controller-validating-webhook-configuration";
    static final String MUTATING = "kubewarden-controller-mutating-webhook-configuration";

    private static final List<String> KINDS = List.of(
            "PolicyServer",
            "AdmissionPolicy",
            "ClusterAdmissionPolicy",
            "AdmissionPolicyGroup",
            "ClusterAdmissionPolicyGroup");

    private final KubernetesClient client;
    private final Controller controller;
    private final int healthPort;
    private final int metricsPort;

    private RunningController(KubernetesClient client, Controller controller, int healthPort, int metricsPort) {
        this.client = client;
        this.controller = controller;
        this.healthPort = healthPort;
        this.metricsPort = metricsPort;
    }

    static String userOf(TestCluster cluster) {
        return "system:serviceaccount:" + cluster.namespace() + ":kubewarden-controller";
    }

    /** Creates a client that impersonates a user. */
    static KubernetesClient as(TestCluster cluster, String user) {
        return new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder(cluster.client().getConfiguration())
                        .withImpersonateUsername(user)
                        .build())
                .build();
    }

    static ControllerSettings settings(TestCluster cluster, boolean keepsDefaultServer, Optional<String> clientCa)
            throws IOException {
        var healthAddress = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.find());
        var metricsAddress = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.find());
        return new ControllerSettings(
                cluster.namespace(),
                false,
                Duration.ofSeconds(1),
                new ControllerSettings.Listen(Optional.of(healthAddress), Optional.of(metricsAddress), 0, SERVICE),
                new ControllerSettings.Policies(
                        IdentityScheme.DOTTED,
                        true,
                        keepsDefaultServer,
                        10,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        true),
                new ControllerSettings.Workloads(
                        List.of(),
                        false,
                        clientCa,
                        8080,
                        new ControllerSettings.OpenTelemetry(
                                false, false, false, Map.of(), Optional.empty(), Optional.empty()),
                        new ServerDefaults.Network(true, List.of(443, 6443))),
                new ControllerSettings.Observability(Level.INFO, LogFormat.TEXT, false));
    }

    /** Starts a controller. Returns when the API server can call its webhooks. */
    static RunningController start(TestCluster cluster, ControllerSettings settings) throws Exception {
        cluster.installCrds();
        serviceAccount(cluster);
        var client = as(cluster, userOf(cluster));
        var controller = Controller.start(settings, client, new Metrics(), "test", () -> {});
        var running = new RunningController(
                client,
                controller,
                settings.listen().health().orElseThrow().getPort(),
                settings.listen().metrics().orElseThrow().getPort());
        cluster.exposeHost(SERVICE, controller.webhookPort());
        register(cluster);
        await().atMost(Duration.ofSeconds(30)).until(() -> running.get(running.healthPort, "/readyz") == 200);
        cluster.await(
                cluster.client()
                        .admissionRegistration()
                        .v1()
                        .validatingWebhookConfigurations()
                        .withName(VALIDATING),
                webhooks -> webhooks.getWebhooks().stream()
                        .allMatch(webhook -> webhook.getClientConfig().getCaBundle() != null),
                Duration.ofSeconds(20));
        cluster.await(
                cluster.client()
                        .admissionRegistration()
                        .v1()
                        .mutatingWebhookConfigurations()
                        .withName(MUTATING),
                webhooks -> webhooks.getWebhooks().stream()
                        .allMatch(webhook -> webhook.getClientConfig().getCaBundle() != null),
                Duration.ofSeconds(20));
        return running;
    }

    private static void serviceAccount(TestCluster cluster) {
        cluster.apply(new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("kubewarden-controller")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .build());
        cluster.apply(new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(cluster.namespace())
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", "kubewarden-controller", cluster.namespace())
                .build());
    }

    /** Returns the match condition that the chart sets for the webhook of PolicyRevisions. */
    private static String revisionMatchCondition(TestCluster cluster) {
        try {
            var template =
                    Files.readString(Checkout.current().root().resolve("charts/portcullis/templates/webhooks.yaml"));
            var expression = Pattern.compile("(?m)^ +expression: (.*)$").matcher(template);
            if (!expression.find()) {
                throw new IllegalStateException("the chart's webhooks have no condition");
            }
            return expression
                    .group(1)
                    .replace("{{ .Release.Namespace }}", cluster.namespace())
                    .replace("{{ include \"portcullis.name\" . }}", "kubewarden-controller");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void register(TestCluster cluster) {
        var validating = new ArrayList<>(KINDS.stream()
                .map(kind -> new ValidatingWebhookBuilder()
                        .withName("v" + kind.toLowerCase(Locale.ROOT) + ".kb.io")
                        .withAdmissionReviewVersions("v1", "v1beta1")
                        .withSideEffects("None")
                        .withFailurePolicy("Fail")
                        .withRules(rules(kind))
                        .withClientConfig(path(cluster, "/validate", kind))
                        .build())
                .toList());
        validating.add(new ValidatingWebhookBuilder()
                .withName("vpolicyrevision.kb.io")
                .withAdmissionReviewVersions("v1")
                .withSideEffects("None")
                .withFailurePolicy("Fail")
                .withRules(rule("PolicyRevision", List.of("CREATE", "UPDATE", "DELETE")))
                .addNewMatchCondition(revisionMatchCondition(cluster), "is-to-be-judged")
                .withClientConfig(path(cluster, "/validate", "PolicyRevision"))
                .build());
        cluster.apply(new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(VALIDATING)
                .addToLabels("app.kubernetes.io/part-of", "kubewarden")
                .endMetadata()
                .withWebhooks(validating)
                .build());
        cluster.apply(new MutatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(MUTATING)
                .addToLabels("app.kubernetes.io/part-of", "kubewarden")
                .endMetadata()
                .withWebhooks(KINDS.stream()
                        .map(kind -> new MutatingWebhookBuilder()
                                .withName("m" + kind.toLowerCase(Locale.ROOT) + ".kb.io")
                                .withAdmissionReviewVersions("v1", "v1beta1")
                                .withSideEffects("None")
                                .withFailurePolicy("Fail")
                                .withRules(rule(kind, List.of("CREATE", "UPDATE")))
                                .withClientConfig(path(cluster, "/mutate", kind))
                                .build())
                        .toList())
                .build());
    }

    private static List<RuleWithOperations> rules(String kind) {
        if (!kind.equals("PolicyServer")) {
            return List.of(rule(kind, List.of("CREATE", "UPDATE")));
        }
        var scale = new RuleWithOperationsBuilder(rule(kind, List.of("UPDATE")))
                .withResources("policyservers/scale")
                .build();
        return List.of(rule(kind, List.of("CREATE", "UPDATE", "DELETE")), scale);
    }

    private static RuleWithOperations rule(String kind, List<String> operations) {
        var lower = kind.toLowerCase(Locale.ROOT);
        var plural = lower.endsWith("policy") ? lower.substring(0, lower.length() - 1) + "ies" : lower + "s";
        return new RuleWithOperationsBuilder()
                .withApiGroups("policies.kubewarden.io")
                .withApiVersions("v1")
                .withResources(plural)
                .withOperations(operations)
                .build();
    }

    private static WebhookClientConfig path(TestCluster cluster, String verb, String kind) {
        return new WebhookClientConfigBuilder()
                .withNewService()
                .withNamespace(cluster.namespace())
                .withName(SERVICE)
                .withPath(verb + "-policies-kubewarden-io-v1-" + kind.toLowerCase(Locale.ROOT))
                .endService()
                .build();
    }

    /** Creates a client that calls the webhook port like the API server and trusts the serving certificate. */
    static HttpClient webhookClient(TestCluster cluster, Optional<ServingCertificate> clientCertificate) {
        try {
            var trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            var pem = cluster.client()
                    .secrets()
                    .inNamespace(cluster.namespace())
                    .withName("kubewarden-ca")
                    .get()
                    .getData()
                    .get("ca.crt");
            trusted.setCertificateEntry(
                    "ca",
                    CertificateFactory.getInstance("X.509")
                            .generateCertificate(
                                    new ByteArrayInputStream(Base64.getDecoder().decode(pem))));
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(trusted);
            var context = SSLContext.getInstance("TLS");
            context.init(
                    clientCertificate.map(ServingCertificate::keyManagers).orElse(null),
                    new TrustManager[] {new TrustAnyHostName((X509TrustManager) trust.getTrustManagers()[0])},
                    null);
            return HttpClient.newBuilder()
                    .sslContext(context)
                    .connectTimeout(Duration.ofSeconds(10))
                    .build();
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Checks only the CA. The test connects by IP address, but the certificate is for the Service name. */
    private static final class TrustAnyHostName extends X509ExtendedTrustManager {

        private final X509TrustManager authority;

        TrustAnyHostName(X509TrustManager authority) {
            this.authority = authority;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            authority.checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            authority.checkServerTrusted(chain, type);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            authority.checkServerTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
            throw new IllegalStateException("the client has no server side");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {
            throw new IllegalStateException("the client has no server side");
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            throw new IllegalStateException("the client has no server side");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return authority.getAcceptedIssuers();
        }
    }

    int webhookPort() {
        return controller.webhookPort();
    }

    String metrics() throws IOException, InterruptedException {
        var uri = URI.create("http://127.0.0.1:" + metricsPort + "/metrics");
        try (var http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                    .body();
        }
    }

    int health(String path) throws InterruptedException {
        return get(healthPort, path);
    }

    private int get(int port, String path) throws InterruptedException {
        var uri = URI.create("http://127.0.0.1:" + port + path);
        try (var http = HttpClient.newHttpClient()) {
            return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding())
                    .statusCode();
        } catch (IOException e) {
            return 0;
        }
    }

    @Override
    public void close() {
        // Without the webhooks, writes need no controller. Without finalizers, all objects can be deleted.
        var admission = client.admissionRegistration().v1();
        admission.validatingWebhookConfigurations().withName(VALIDATING).delete();
        admission.mutatingWebhookConfigurations().withName(MUTATING).delete();
        controller.close();
        for (var server : client.resources(PolicyServer.class).list().getItems()) {
            // Without a version: a last write of the stopped controller may still be under way.
            client.resource(server)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":null}}");
            client.resource(server).delete();
        }
        client.close();
    }
}
