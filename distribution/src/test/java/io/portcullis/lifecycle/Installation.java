package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.fault.Cable;
import io.portcullis.testkit.hostpods.HostPods;
import io.portcullis.testkit.program.Command;
import io.portcullis.testkit.program.RunningProgram;
import io.portcullis.testkit.registry.LocalRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Portcullis as its charts install it, on a cluster without nodes: the controller is a process with the identity and the
 * arguments of its Deployment, replicas of policy servers are {@link HostPods}, modules come from a real registry.
 */
final class Installation implements AutoCloseable {

    /** What policy servers run here. */
    static final String IMAGE = "localhost/portcullis/policy-server:dev";

    /** The same program with an engine that cannot use what the first has compiled. */
    static final String OTHER_ENGINE = "localhost/portcullis/policy-server:other-engine";

    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    /** Played by processes here, or of no use without nodes. */
    private static final Set<String> NOT_APPLIED = Set.of("Deployment", "CronJob", "Job", "Namespace");

    private static final String SERVICE = "kubewarden-controller-webhook-service";

    private final TestCluster cluster;
    private final Path directory;
    private final LocalRegistry registry;
    private final HostPods pods;
    private final List<String> command = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private final int healthPort = freePort();
    private final Cable line;
    private volatile @Nullable RunningProgram controller;
    private volatile Duration startTook = Duration.ZERO;
    private int starts;

    private Installation(TestCluster cluster, Path directory) {
        this.cluster = cluster;
        this.directory = directory;
        line = HostPods.lineToApiServer(cluster);
        registry = LocalRegistry.plain(directory.resolve("registry"));
        new Chart("portcullis-crds")
                .render(cluster.client(), cluster.namespace(), List.of())
                .forEach(this::applyForGood);
        pods = HostPods.start(cluster, cluster.namespace(), directory.resolve("pods"), Installation::program);
    }

    /** A cluster that knows our kinds and runs pods, a registry, and no controller yet. */
    static Installation prepare(TestCluster cluster, Path directory) {
        return new Installation(cluster, directory);
    }

    /** @param settings of the chart, {@code key=value} */
    static Installation start(TestCluster cluster, Path directory, List<String> settings) {
        var installation = prepare(cluster, directory);
        installation.install(settings);
        return installation;
    }

    /** What the chart installs, and the controller. */
    void install(List<String> settings) {
        var rendered = new Chart("portcullis").render(client(), cluster.namespace(), settings);
        rendered.stream()
                .filter(object -> !NOT_APPLIED.contains(object.getKind()))
                .filter(object -> !isHook(object))
                .forEach(cluster::apply);
        var deployment = rendered.stream()
                .filter(Deployment.class::isInstance)
                .map(Deployment.class::cast)
                .findFirst()
                .orElseThrow();
        var spec = deployment.getSpec().getTemplate().getSpec();
        int webhookPort = freePort();
        command.add(Checkout.current().program("controller").toString());
        command.addAll(spec.getContainers().getFirst().getArgs());
        command.addAll(List.of(
                "--webhook-server-port",
                Integer.toString(webhookPort),
                "--health-probe-bind-address",
                ":" + healthPort,
                "--metrics-bind-address",
                ":" + freePort()));
        environment.put("KUBECONFIG", kubeconfig(spec.getServiceAccountName()).toString());
        lead(SERVICE, webhookPort);
        controller = startController();
    }

    private static List<String> program(Container container) {
        var program = Checkout.current().program("policy-server").toString();
        return container.getImage().equals(OTHER_ENGINE)
                ? List.of("env", "PORTCULLIS_WASMTIME_LIB=/nowhere", program)
                : List.of(program);
    }

    private static boolean isHook(HasMetadata object) {
        var annotations = object.getMetadata().getAnnotations();
        return annotations != null && annotations.containsKey("helm.sh/hook");
    }

    /** Several classes share the cluster and its custom resources. */
    private void applyForGood(HasMetadata object) {
        client().resource(object).forceConflicts().serverSideApply();
    }

    private Path kubeconfig(String account) {
        var token = client().serviceAccounts()
                .inNamespace(cluster.namespace())
                .withName(account)
                .tokenRequest(new TokenRequest())
                .getStatus()
                .getToken();
        try {
            var admin = Files.readString(cluster.local().kubeconfig());
            return Files.writeString(
                    directory.resolve("controller.kubeconfig"), HostPods.withToken(admin, token, line));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The Service leads to this machine. */
    private void lead(String service, int port) {
        cluster.apply(new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(service + "-host")
                .withNamespace(cluster.namespace())
                .addToLabels("kubernetes.io/service-name", service)
                .endMetadata()
                .withAddressType("IPv4")
                .addNewEndpoint()
                .withAddresses(cluster.local().hostAddress())
                .withNewConditions()
                .withReady(true)
                .endConditions()
                .endEndpoint()
                .addNewPort()
                .withName(client().services()
                        .inNamespace(cluster.namespace())
                        .withName(service)
                        .get()
                        .getSpec()
                        .getPorts()
                        .getFirst()
                        .getName())
                .withPort(port)
                .withProtocol("TCP")
                .endPort()
                .build());
    }

    private RunningProgram startController() {
        var begin = System.nanoTime();
        var program = RunningProgram.start(directory.resolve("controller-" + ++starts + ".log"), command, environment);
        try (var http = HttpClient.newHttpClient()) {
            program.awaitAnswer(http, URI.create("http://127.0.0.1:" + healthPort + "/readyz"), 200, START_LIMIT);
        }
        startTook = Duration.ofNanos(System.nanoTime() - begin);
        return program;
    }

    /** From the start of the controller's process until it was ready, the last time. */
    Duration startTook() {
        return startTook;
    }

    /** The controller's process; after {@link #restartController} another one. */
    RunningProgram controller() {
        return Objects.requireNonNull(controller, "not installed yet");
    }

    void restartController() {
        controller().close();
        controller = startController();
    }

    /** One more controller, which waits until the first one leads no longer. */
    RunningProgram anotherController() {
        int health = freePort();
        var words = new ArrayList<>(command);
        words.addAll(List.of(
                "--webhook-server-port",
                Integer.toString(freePort()),
                "--health-probe-bind-address",
                ":" + health,
                "--metrics-bind-address",
                ":" + freePort()));
        var program = RunningProgram.start(directory.resolve("controller-" + ++starts + ".log"), words, environment);
        try (var http = HttpClient.newHttpClient()) {
            return program.awaitAnswer(http, URI.create("http://127.0.0.1:" + health + "/readyz"), 200, START_LIMIT);
        }
    }

    HostPods pods() {
        return pods;
    }

    KubernetesClient client() {
        return cluster.client();
    }

    LocalRegistry registry() {
        return registry;
    }

    Requests requests(String namespace) {
        return new Requests(client(), namespace);
    }

    /** Pushes one of our sample policies; its URL. */
    String push(String policy, String tag) {
        return push(policy, tag, module(policy));
    }

    /** Pushes a sample policy that differs from others of it in nothing but its digest. */
    String pushVariant(String policy, String tag, int number) {
        try {
            var variant = new ByteArrayOutputStream();
            variant.writeBytes(Files.readAllBytes(module(policy)));
            var name = ("variant-" + number).getBytes(StandardCharsets.UTF_8);
            // A custom section: id 0, its size, the length of its name, its name.
            variant.writeBytes(new byte[] {0, (byte) (name.length + 1), (byte) name.length});
            variant.writeBytes(name);
            return push(policy, tag, Files.write(directory.resolve(tag + ".wasm"), variant.toByteArray()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path module(String policy) {
        return Checkout.current().root().resolve("policies").resolve(policy).resolve("policy.wasm");
    }

    private String push(String policy, String tag, Path module) {
        var url = "registry://" + registry.host() + "/policies/" + policy + ":" + tag;
        var sources = directory.resolve("sources.yml");
        try {
            Files.writeString(sources, "insecure_sources: [\"" + registry.host() + "\"]\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Command.of(
                        Checkout.current().program("kwctl").toString(),
                        "push",
                        "--sources-path",
                        sources.toString(),
                        module.toString(),
                        url)
                .run();
        return url;
    }

    private static int freePort() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }

    @Override
    public void close() {
        if (controller != null) {
            controller.close();
        }
        pods.close();
        registry.close();
        line.close();
    }
}
