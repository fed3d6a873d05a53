package io.portcullis.controller.certificates;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.portcullis.api.evidence.Evidence;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.certificates.leaf.LeafSecrets;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.controller.certificates.secrets.UnusableCertificateException;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.process.tls.SwappableTls;
import io.portcullis.testkit.cluster.RealCluster;
import io.portcullis.testkit.cluster.TestCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The lifecycle of certificates in Secrets and webhooks of a real API server. */
@Tag("level1")
@RealCluster
class CertificatesIT {

    private static final String SERVICE = "webhooks";
    private static final String WEBHOOK_SECRET = "kubewarden-webhook-server-cert";
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static final AtomicInteger TESTS = new AtomicInteger();

    private final TestCluster cluster;

    /** A separate namespace for each test, because a closed rotation may still write. */
    private final String namespace;

    private final AtomicReference<Duration> clockDelay = new AtomicReference<>(Duration.ZERO);
    private final Metrics metrics = new Metrics();
    private final ClusterView view;
    private final EventWriter events;
    private final Certificates certificates;

    CertificatesIT(TestCluster cluster) {
        this.cluster = cluster;
        namespace = cluster.namespace() + "-" + TESTS.incrementAndGet();
        view = new ClusterView(cluster.client(), namespace);
        events = new EventWriter(
                cluster.client(), new EventSource("test", null), EventWriter.Repetition.COUNTED, Clock.systemUTC());
        certificates = new Certificates(
                cluster.client(),
                events,
                view,
                new Certificates.Place(namespace, SERVICE, Duration.ofSeconds(1)),
                metrics,
                new DelayedClock(clockDelay),
                new SecureRandom());
    }

    /** A clock that is behind the real time by a variable duration. */
    private static final class DelayedClock extends Clock {

        private final AtomicReference<Duration> clockDelay;

        DelayedClock(AtomicReference<Duration> clockDelay) {
            this.clockDelay = clockDelay;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return Instant.now().minus(clockDelay.get());
        }
    }

    @BeforeAll
    static void resources(TestCluster cluster) throws IOException {
        cluster.installCrds();
    }

    @BeforeEach
    void ownNamespace() {
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .build());
        webhooks("");
        view.start();
    }

    @AfterEach
    void stop() {
        events.close();
        view.close();
    }

    private void webhooks(String caBundle) {
        cluster.apply(new ValidatingWebhookConfigurationBuilder()
                .withNewMetadata()
                .withName(namespace)
                .addToLabels("app.kubernetes.io/part-of", "kubewarden")
                .endMetadata()
                .addNewWebhook()
                .withName("v.kb.io")
                .withAdmissionReviewVersions("v1")
                .withSideEffects("None")
                .withNewClientConfig()
                .withCaBundle(encoded(caBundle))
                .withNewService()
                .withNamespace(namespace)
                .withName(SERVICE)
                .endService()
                .endClientConfig()
                .endWebhook()
                .build());
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private Secret secret(String name) {
        return cluster.await(
                cluster.client().secrets().inNamespace(namespace).withName(name),
                secret -> secret.getData() != null && !secret.getData().isEmpty(),
                LIMIT);
    }

    private static String text(Secret secret, String key) {
        return SecretReader.text(Optional.of(secret), key);
    }

    /** Returns the CA bundle that the API server trusts now. */
    private String trusted() {
        var bundle = cluster.client()
                .admissionRegistration()
                .v1()
                .validatingWebhookConfigurations()
                .withName(namespace)
                .get()
                .getWebhooks()
                .getFirst()
                .getClientConfig()
                .getCaBundle();
        return bundle == null ? "" : new String(Base64.getDecoder().decode(bundle), StandardCharsets.UTF_8);
    }

    private PolicyServer server(String name) {
        var server = new PolicyServer();
        server.getMetadata().setName(name);
        server.getSpec().put("image", "example.com/policy-server:v1").put("replicas", 1);
        return cluster.apply(server);
    }

    @Test
    void createsAllCertificatesOnceAndThenWritesNoMore() {
        try (var _ = certificates.startRotation()) {
            var authority = secret("kubewarden-ca");
            secret(WEBHOOK_SECRET);
            secret("kubewarden-audit-scanner-client-cert");
            await().atMost(LIMIT).untilAsserted(() -> assertThat(trusted()).isEqualTo(text(authority, "ca.crt")));

            var server = server("certificates-it");
            await().atMost(LIMIT).until(() -> certificates.caBundle().isPresent());
            assertThat(certificates.policyServerSecrets().ensure(server)).isTrue();

            var serving = secret("policy-server-certificates-it");
            assertThat(serving.getData()).containsOnlyKeys("tls.crt", "tls.key", Evidence.TOKEN_KEY);
            assertThat(Base64.getUrlDecoder().decode(text(serving, Evidence.TOKEN_KEY)))
                    .hasSize(32);
            assertThat(serving.getMetadata().getAnnotations()).containsEntry(LeafSecrets.FORMAT, "1");
            assertThat(serving.getMetadata().getLabels())
                    .containsAllEntriesOf(Map.of(
                            "app.kubernetes.io/component", "policy-server",
                            "app.kubernetes.io/instance", "policy-server-certificates-it",
                            "app.kubernetes.io/part-of", "kubewarden",
                            "app.kubernetes.io/managed-by", "kubewarden-controller"));
            assertThat(serving.getMetadata().getOwnerReferences())
                    .singleElement()
                    .satisfies(owner -> assertThat(owner.getUid())
                            .isEqualTo(server.getMetadata().getUid()));
            secret("policy-server-certificates-it-cache-signer");

            await().atMost(LIMIT)
                    .until(() -> view.secrets()
                            .get(namespace, "policy-server-certificates-it-cache-signer")
                            .isPresent());
            assertThat(certificates.policyServerSecrets().ensure(server)).isTrue();
            assertThat(secret("policy-server-certificates-it").getMetadata().getResourceVersion())
                    .isEqualTo(serving.getMetadata().getResourceVersion());
            assertThat(PrometheusText.render(metrics))
                    .contains("kubewarden_certificate_expiry_seconds{secret=\"kubewarden-ca\"} 315");
        }
    }

    @Test
    void rotatesTheAuthorityUnderLoadWithoutAFailedHandshake() throws Exception {
        // The authority was created so long ago that 30 days are left. For a clock that is 31 days behind, 61 days are
        // left.
        var past = Clock.fixed(
                Instant.now().minus(CertificateMaker.AUTHORITY_LIFETIME).plus(Duration.ofDays(30)), ZoneOffset.UTC);
        var first = new CertificateMaker(past, new SecureRandom()).authority();
        store("kubewarden-ca", Map.of("ca.crt", first.certificatePem(), "ca.key", first.keyPem()), Map.of());
        clockDelay.set(Duration.ofDays(31));
        var tls = new SwappableTls(false);
        certificates.onServing(serving -> tls.show(serving.secret(), serving.certificatePem(), serving.keyPem()));

        try (var _ = certificates.startRotation();
                var listener =
                        (SSLServerSocket) tls.context().getServerSocketFactory().createServerSocket(0)) {
            await().atMost(LIMIT).until(() -> tls.isReady() && trusted().equals(first.certificatePem()));
            Thread.ofVirtual().start(() -> serve(listener));
            var handshakes = new AtomicInteger();
            var failure = new AtomicReference<Optional<Exception>>(Optional.empty());
            var load = Thread.ofVirtual().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    try {
                        handshake(listener.getLocalPort(), trusted());
                        handshakes.incrementAndGet();
                    } catch (Exception e) {
                        failure.compareAndSet(Optional.empty(), Optional.of(e));
                        return;
                    }
                }
            });
            await().atMost(LIMIT).until(() -> handshakes.get() > 5);
            var before = text(secret(WEBHOOK_SECRET), "tls.crt");

            clockDelay.set(Duration.ZERO);
            cluster.client() // any change triggers a reconcile
                    .secrets()
                    .inNamespace(namespace)
                    .withName("kubewarden-ca")
                    .edit(secret -> new SecretBuilder(secret)
                            .editMetadata()
                            .addToLabels("looked", "at")
                            .endMetadata()
                            .build());

            await().atMost(Duration.ofSeconds(40)).untilAsserted(() -> {
                assertThat(failure.get()).isEmpty();
                assertThat(text(secret(WEBHOOK_SECRET), "tls.crt")).isNotEqualTo(before);
            });
            var after = handshakes.get();
            await().atMost(LIMIT)
                    .until(() -> handshakes.get() > after + 5 || failure.get().isPresent());
            load.interrupt();
            assertThat(failure.get()).isEmpty();

            var authority = secret("kubewarden-ca");
            assertThat(text(authority, "old-ca.crt")).isEqualTo(first.certificatePem());
            assertThat(trusted()).isEqualTo(text(authority, "ca.crt") + first.certificatePem());
            assertThat(certificates.caBundle()).contains(trusted());
        }
    }

    private static void serve(SSLServerSocket listener) {
        while (!listener.isClosed()) {
            try (var socket = (SSLSocket) listener.accept()) {
                socket.startHandshake();
                socket.getInputStream().read();
            } catch (IOException e) {
                // The client reports the error.
            }
        }
    }

    private void handshake(int port, String trustedPem) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        for (var authority : SecretReader.certificates(trustedPem)) {
            store.setCertificateEntry("ca" + store.size(), authority);
        }
        var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        try (var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.startHandshake();
        }
    }

    private Secret store(String name, Map<String, String> data, Map<String, String> annotations) {
        return cluster.apply(new SecretBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(namespace)
                .withAnnotations(annotations)
                .endMetadata()
                .withStringData(data)
                .build());
    }

    @Test
    void neverWritesUserProvidedSecrets() {
        var made = new CertificateMaker(Clock.systemUTC(), new SecureRandom()).authority();
        var provided = store("kubewarden-ca", Map.of("ca.crt", made.certificatePem()), Map.of());
        var server = server("certificates-it-provided");
        await().atMost(LIMIT).until(() -> certificates.caBundle().isPresent());

        assertThatThrownBy(() -> certificates.policyServerSecrets().ensure(server))
                .isInstanceOf(UnusableCertificateException.class)
                .hasMessage("Secret policy-server-certificates-it-provided is missing; it has to be brought, because"
                        + " Secret kubewarden-ca has no ca.key to sign it with");
        assertThat(secret("kubewarden-ca").getMetadata().getResourceVersion())
                .isEqualTo(provided.getMetadata().getResourceVersion());
    }

    @Test
    void replacesAnOldFormatAndRecordsAnEvent() {
        var server = server("certificates-it-format");
        certificates.policyServerSecrets().ensure(server);
        var first = secret("policy-server-certificates-it-format");
        cluster.client()
                .resource(first)
                .edit(secret -> new SecretBuilder(secret)
                        .editMetadata()
                        .addToAnnotations(LeafSecrets.FORMAT, "0")
                        .endMetadata()
                        .build());
        await().atMost(LIMIT).untilAsserted(() -> {
            certificates.policyServerSecrets().ensure(server);
            assertThat(text(secret("policy-server-certificates-it-format"), "tls.crt"))
                    .isNotEqualTo(text(first, "tls.crt"));
        });

        var second = secret("policy-server-certificates-it-format");
        assertThat(text(second, Evidence.TOKEN_KEY)).isEqualTo(text(first, Evidence.TOKEN_KEY));
        events.close(); // writes the queued Events
        assertThat(cluster.client().v1().events().inNamespace("default").list().getItems())
                .anySatisfy(event -> {
                    assertThat(event.getReason()).isEqualTo("CertificateRotated");
                    assertThat(event.getInvolvedObject().getUid())
                            .isEqualTo(server.getMetadata().getUid());
                });
    }
}
