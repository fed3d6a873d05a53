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
import io.portcullis.testkit.program.RunningProgram;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.registry.LocalRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Portcullis as its charts install it, on a cluster without nodes: the controller is a process with the identity and the
 * arguments of its Deployment, replicas of policy servers are {@link HostPods}, modules come from a real registry.
 */
final class Installation implements AutoCloseable {

    /** What policy servers run here. */
    static final String IMAGE = "localhost/portcullis/policy-server:dev";

    /** The same program with an engine that cannot use what the first has compiled. */
    static final String OTHER_ENGINE = "localhost/portcullis/policy-server:other-engine";

    /** Played by processes here, or of no use without nodes. */
    private static final Set<String> NOT_APPLIED = Set.of("Deployment", "CronJob", "Job", "Namespace");

    private static final String SERVICE = "kubewarden-controller-webhook-service";

    private final TestCluster cluster;
    private final Path directory;
    private final LocalRegistry registry;
    private final HostPods pods;
    private final List<String> command = new ArrayList<>();
    private final List<ControllerPod> controllers = new CopyOnWriteArrayList<>();
    private String account = "";
    private volatile Duration startTook = Duration.ZERO;

    private Installation(TestCluster cluster, Path directory) {
        this.cluster = cluster;
        this.directory = directory;
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
        command.add(Checkout.current().program("controller").toString());
        command.addAll(spec.getContainers().getFirst().getArgs());
        account = spec.getServiceAccountName();
        var first = addController();
        lead(first, true);
        startController(first);
    }

    /** One more controller, not started yet; no Service leads to it. */
    ControllerPod addController() {
        var name = "controller-" + controllers.size();
        var line = HostPods.apiServerCable(cluster);
        var controller = new ControllerPod(name, directory, command, kubeconfig(name, line), line);
        controllers.add(controller);
        return controller;
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

    private Path kubeconfig(String name, Cable line) {
        var token = client().serviceAccounts()
                .inNamespace(cluster.namespace())
                .withName(account)
                .tokenRequest(new TokenRequest())
                .getStatus()
                .getToken();
        try {
            var admin = Files.readString(cluster.local().kubeconfig());
            return Files.writeString(directory.resolve(name + ".kubeconfig"), HostPods.withToken(admin, token, line));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether the Service of controllers leads to this one. */
    void lead(ControllerPod controller, boolean ready) {
        cluster.apply(new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(SERVICE + "-" + controller.name())
                .withNamespace(cluster.namespace())
                .addToLabels("kubernetes.io/service-name", SERVICE)
                .endMetadata()
                .withAddressType("IPv4")
                .addNewEndpoint()
                .withAddresses(cluster.local().hostAddress())
                .withNewConditions()
                .withReady(ready)
                .endConditions()
                .endEndpoint()
                .addNewPort()
                .withName(client().services()
                        .inNamespace(cluster.namespace())
                        .withName(SERVICE)
                        .get()
                        .getSpec()
                        .getPorts()
                        .getFirst()
                        .getName())
                .withPort(controller.webhookPort())
                .withProtocol("TCP")
                .endPort()
                .build());
    }

    private void startController(ControllerPod controller) {
        var begin = System.nanoTime();
        controller.start();
        controller.awaitReady();
        startTook = Duration.ofNanos(System.nanoTime() - begin);
    }

    /** From the start of the controller's process until it was ready, the last time. */
    Duration startTook() {
        return startTook;
    }

    /** The controller's process; after {@link #restartController} another one. */
    RunningProgram controller() {
        return first().program();
    }

    /** The controller that every installation has. */
    ControllerPod first() {
        return controllers.getFirst();
    }

    void restartController() {
        controller().close();
        startController(first());
    }

    /** One more controller, which waits until the first one leads no longer. */
    RunningProgram anotherController() {
        var another = addController();
        another.start();
        return another.awaitReady().program();
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
        ShellCommand.of(
                        Checkout.current().program("kwctl").toString(),
                        "push",
                        "--sources-path",
                        sources.toString(),
                        module.toString(),
                        url)
                .run();
        return url;
    }

    @Override
    public void close() {
        controllers.forEach(ControllerPod::close);
        pods.close();
        registry.close();
    }
}
