package io.portcullis.controller.policy;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.IdentityScheme;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.cluster.LeanObjects;
import io.portcullis.controller.policy.observe.PolicySettings;
import io.portcullis.process.kubernetes.BlockingHttpFactory;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.testkit.certificate.ServingCertificate;
import io.portcullis.testkit.cluster.TestCluster;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import javax.net.ssl.KeyManager;

/** The policy part of a controller in this JVM, on a real API server. Tests simulate the policy servers. */
final class SimulatedInstallation implements AutoCloseable {

    static final Duration DRAIN = Duration.ofSeconds(1);
    static final Duration GRACE = Duration.ofSeconds(3);
    private static final int SERVERS = 64;

    private final TestCluster cluster;
    private PolicySettings settings;
    private PolicyControl.Surroundings surroundings;
    private final ServingCertificate certificate;
    private final List<SimulatedServer> servers = new ArrayList<>();
    private volatile String caBundle;
    private Running running;

    /** One controller process. */
    private record Running(
            KubernetesClient client,
            EventWriter events,
            ClusterView view,
            PolicyControl control,
            Writes writes,
            Metrics metrics)
            implements AutoCloseable {

        @Override
        public void close() {
            control.close();
            events.close();
            view.close();
            client.close();
        }
    }

    SimulatedInstallation(TestCluster cluster) {
        this(cluster, IdentityScheme.DOTTED);
    }

    SimulatedInstallation(TestCluster cluster, IdentityScheme scheme) {
        this.cluster = cluster;
        this.settings = new PolicySettings(cluster.namespace(), DRAIN, GRACE, 3, scheme, true, false);
        this.surroundings = PolicyControl.Surroundings.usual(cluster.client());
        cluster.installCrds();
        this.certificate = ServingCertificate.forNames(IntStream.range(0, SERVERS)
                .mapToObj(i -> "policy-server-s" + i + "." + cluster.namespace() + ".svc")
                .toArray(String[]::new));
        this.caBundle = bundle(certificate);
        this.running = run();
    }

    static String bundle(ServingCertificate certificate) {
        return Base64.getEncoder().encodeToString(certificate.certificatePem().getBytes(StandardCharsets.US_ASCII));
    }

    private Running run() {
        var writes = new Writes();
        var client = new KubernetesClientBuilder()
                .withConfig(cluster.client().getConfiguration())
                .withKubernetesSerialization(LeanObjects.serialization())
                .withHttpClientFactory(new BlockingHttpFactory())
                .withHttpClientBuilderConsumer(builder -> builder.addOrReplaceInterceptor("writes", writes))
                .build();
        var view = new ClusterView(client, cluster.namespace());
        var metrics = new Metrics();
        var events = new EventWriter(
                client,
                new EventSource("kubewarden-controller", null),
                EventWriter.Repetition.COUNTED,
                Clock.systemUTC());
        var control = new PolicyControl(
                settings,
                view,
                client,
                events,
                () -> Optional.of(caBundle),
                () -> new KeyManager[0],
                metrics,
                Clock.systemUTC(),
                surroundings);
        view.start();
        control.start();
        return new Running(client, events, view, control, writes, metrics);
    }

    /** Stops the controller at its current point and starts another one. */
    void restart() {
        running.close();
        running = run();
    }

    /** Starts another controller while the previous one still runs. The caller closes the returned previous one. */
    AutoCloseable startSecondProcess() {
        var previous = running;
        running = run();
        return previous;
    }

    /** Restarts the controller with other settings. */
    void restart(UnaryOperator<PolicySettings> change) {
        settings = change.apply(settings);
        restart();
    }

    /** Restarts the controller with other surroundings. */
    void restartWithSurroundings(UnaryOperator<PolicyControl.Surroundings> change) {
        surroundings = change.apply(surroundings);
        restart();
    }

    IdentityScheme scheme() {
        return settings.identityScheme();
    }

    void stop() {
        running.close();
    }

    void rotateAuthority(ServingCertificate next) {
        caBundle = bundle(next);
        running.control().authorityChanged();
    }

    Writes writes() {
        return running.writes();
    }

    String metrics() {
        return PrometheusText.render(running.metrics());
    }

    KubernetesClient client() {
        return cluster.client();
    }

    String namespace() {
        return cluster.namespace();
    }

    ServingCertificate certificate() {
        return certificate;
    }

    /** Creates the next unused server. Its name is in the certificate. */
    SimulatedServer server(int replicas) {
        var server = new SimulatedServer(this, "s" + servers.size());
        servers.add(server);
        server.scale(replicas);
        return server;
    }

    /** Returns a server that does not exist yet. */
    SimulatedServer absentServer() {
        var server = new SimulatedServer(this, "s" + servers.size());
        servers.add(server);
        return server;
    }

    @Override
    public void close() {
        var client = cluster.client();
        List.of(ClusterAdmissionPolicy.class, ClusterAdmissionPolicyGroup.class)
                .forEach(kind -> client.resources(kind).delete());
        List.of(AdmissionPolicy.class, AdmissionPolicyGroup.class)
                .forEach(kind -> client.resources(kind).inAnyNamespace().delete());
        await().atMost(Duration.ofSeconds(30))
                .until(() -> client.resources(ClusterAdmissionPolicy.class)
                                .list()
                                .getItems()
                                .isEmpty()
                        && client.resources(AdmissionPolicy.class)
                                .inAnyNamespace()
                                .list()
                                .getItems()
                                .isEmpty());
        running.close();
        client.resources(PolicyServer.class).list().getItems().forEach(server -> remove(client, server));
        servers.forEach(SimulatedServer::close);
    }

    private static void remove(KubernetesClient client, HasMetadata object) {
        object.getMetadata().setFinalizers(List.of());
        client.resource(object).delete();
    }
}
