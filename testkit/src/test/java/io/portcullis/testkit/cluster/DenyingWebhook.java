package io.portcullis.testkit.cluster;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.portcullis.testkit.certificate.ServingCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

/** A webhook in this JVM that denies every new ConfigMap in the test's namespace. */
final class DenyingWebhook implements AutoCloseable {

    static final String MESSAGE = "the gate is shut";

    private static final Pattern UID = Pattern.compile("\"uid\":\"([^\"]+)\"");

    private final HttpsServer server;
    private final AtomicInteger calls = new AtomicInteger();

    private DenyingWebhook(HttpsServer server) {
        this.server = server;
    }

    static DenyingWebhook start(TestCluster cluster) {
        try {
            var address = new InetSocketAddress(cluster.local().hostAddress(), 0);
            var server = HttpsServer.create(address, 0);
            var webhook = new DenyingWebhook(server);
            var service = cluster.exposeHost("gatekeeper", server.getAddress().getPort());
            var certificate = ServingCertificate.forNames(service.dnsName());
            server.setHttpsConfigurator(new HttpsConfigurator(certificate.sslContext()));
            server.createContext("/", webhook::deny);
            server.start();
            cluster.apply(registration(service, certificate));
            return webhook;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on the host", e);
        }
    }

    private static ValidatingWebhookConfiguration registration(HostService service, ServingCertificate certificate) {
        var bundle =
                Base64.getEncoder().encodeToString(certificate.certificatePem().getBytes(StandardCharsets.US_ASCII));
        return new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(service.namespace())
                .endMetadata()
                .addNewWebhook()
                .withName("gate.testkit.portcullis.io")
                .withAdmissionReviewVersions("v1")
                .withSideEffects("None")
                .withFailurePolicy("Fail")
                .withNewNamespaceSelector()
                .addToMatchLabels("kubernetes.io/metadata.name", service.namespace())
                .endNamespaceSelector()
                .addNewRule()
                .withApiGroups("")
                .withApiVersions("v1")
                .withOperations("CREATE")
                .withResources("configmaps")
                .endRule()
                .withNewClientConfig()
                .withCaBundle(bundle)
                .withNewService()
                .withNamespace(service.namespace())
                .withName(service.name())
                .withPath("/")
                .endService()
                .endClientConfig()
                .endWebhook()
                .build();
    }

    private void deny(HttpExchange exchange) throws IOException {
        calls.incrementAndGet();
        var review = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        var uid = UID.matcher(review);
        var answer = """
                {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
                 "response": {"uid": "%s", "allowed": false, "status": {"message": "%s"}}}""".formatted(uid.find() ? uid.group(1) : "", MESSAGE);
        try (exchange) {
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, answer.length());
            exchange.getResponseBody().write(answer.getBytes(StandardCharsets.UTF_8));
        }
    }

    int calls() {
        return calls.get();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
