package io.portcullis.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With {@code --client-ca-configmap-name}, our webhooks accept only clients with a certificate of that CA. */
@Tag("level1")
@RealCluster
class MutualTlsIT {

    private static final String REVIEW = """
            {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "1",
             "operation": "CREATE", "name": "s", "userInfo": {"username": "u"},
             "object": {"apiVersion": "policies.kubewarden.io/v1", "kind": "PolicyServer",
                        "metadata": {"name": "s"}, "spec": {"image": "i", "replicas": 1}}}}""";

    private static final ServingCertificate API_SERVER = ServingCertificate.forNames("api-server");

    @SuppressWarnings("NullAway") // set before any test
    private static RunningController controller;

    private final TestCluster cluster;

    MutualTlsIT(TestCluster cluster) {
        this.cluster = cluster;
    }

    @BeforeAll
    static void start(TestCluster cluster) throws Exception {
        clientAuthority(cluster, API_SERVER);
        controller =
                RunningController.start(cluster, RunningController.settings(cluster, false, Optional.of("client-ca")));
    }

    @AfterAll
    static void stop() {
        controller.close();
    }

    private static void clientAuthority(TestCluster cluster, ServingCertificate authority) {
        cluster.apply(new ConfigMapBuilder()
                .withNewMetadata()
                .withName("client-ca")
                .withNamespace(cluster.namespace())
                .endMetadata()
                .addToData("client-ca.crt", authority.certificatePem())
                .build());
    }

    private int call(Optional<ServingCertificate> certificate) throws IOException, InterruptedException {
        try (var http = RunningController.webhookClient(cluster, certificate)) {
            return http.send(
                            HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + controller.webhookPort()
                                            + "/validate-policies-kubewarden-io-v1-policyserver"))
                                    .header("Content-Type", "application/json")
                                    .timeout(Duration.ofSeconds(10))
                                    .POST(BodyPublishers.ofString(REVIEW))
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    void acceptsOnlyCertificatesOfTheConfiguredCa() throws Exception {
        assertThat(call(Optional.of(API_SERVER))).isEqualTo(200);
        assertThatThrownBy(() -> call(Optional.empty())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> call(Optional.of(ServingCertificate.forNames("stranger"))))
                .isInstanceOf(IOException.class);
    }

    /**
     * The API server of the test cluster has no client certificate. Its webhook call fails, and it rejects the request.
     */
    @Test
    void rejectsAnApiServerWithoutACertificate() {
        var server = Serialization.unmarshal("""
                {"apiVersion": "policies.kubewarden.io/v1", "kind": "PolicyServer",
                 "metadata": {"name": "unasked"}, "spec": {"image": "i", "replicas": 1}}""", PolicyServer.class);

        assertThatThrownBy(() -> cluster.client().resource(server).create())
                .isInstanceOf(KubernetesClientException.class)
                .hasMessageContaining("failed calling webhook")
                .hasMessageContaining("tls: ");
    }

    @Test
    void appliesANewCaWithoutARestart() throws Exception {
        var next = ServingCertificate.forNames("api-server");
        clientAuthority(cluster, next);

        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> call(Optional.of(next)) == 200);
        clientAuthority(cluster, API_SERVER);
        await().atMost(Duration.ofSeconds(20))
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> call(Optional.of(API_SERVER)) == 200);
    }
}
