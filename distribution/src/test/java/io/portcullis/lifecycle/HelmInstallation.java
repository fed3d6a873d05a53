package io.portcullis.lifecycle;

import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.testkit.Checkout;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.program.ShellCommand;
import io.portcullis.testkit.tools.Tools;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;

/**
 * Portcullis on a cluster with nodes, in the namespace of the test class: real helm, our images, the shipped roles, Pod
 * Security "restricted".
 */
final class HelmInstallation implements AutoCloseable {

    /** Pods start, images are loaded and nodes come back within it, also on a busy machine. */
    static final Duration LIMIT = Duration.ofMinutes(5);

    private static final String MODULE = "/privileged-pods.wasm";

    private final TestCluster cluster;
    private final Path directory;
    private final HttpServer modules;
    /** Modules of tests, by path. */
    private final Map<String, byte[]> served = new ConcurrentHashMap<>();

    private volatile HeldModules held = HeldModules.not();

    private HelmInstallation(TestCluster cluster, Path directory, HttpServer modules) {
        this.cluster = cluster;
        this.directory = directory;
        this.modules = modules;
    }

    /**
     * Modules that the registry holds back until this is closed.
     *
     * @param asked done after the first request for one
     */
    record HeldModules(CompletableFuture<Void> asked, CompletableFuture<Void> released) implements AutoCloseable {

        private static HeldModules not() {
            return new HeldModules(new CompletableFuture<>(), CompletableFuture.completedFuture(null));
        }

        @Override
        public void close() {
            released.complete(null);
        }
    }

    /**
     * Builds and loads images, makes namespaces and serves modules; installs nothing yet.
     *
     * @param directory for images
     * @param watched where pods of any kind may be asked for
     */
    static HelmInstallation prepare(TestCluster cluster, Path directory, String watched, String... programs) {
        var installation = new HelmInstallation(cluster, directory, moduleServer(cluster));
        installation.serveModules();
        for (var program : programs) {
            installation.loadImage(program, "dev");
        }
        installation.secure(cluster.namespace(), "restricted");
        installation.secure(watched, "privileged");
        return installation;
    }

    /** Makes the namespace of the installation again after its deletion. */
    void recreateNamespace() {
        secure(cluster.namespace(), "restricted");
    }

    /** Makes a namespace whose pods must fulfil a Pod Security level. */
    void secure(String namespace, String level) {
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace)
                .addToLabels("pod-security.kubernetes.io/enforce", level)
                .endMetadata()
                .build());
    }

    /** Puts an image of one of our programs on every node; its name. */
    String loadImage(String program, String tag) {
        var image = directory.resolve(program + "-" + tag + ".tar");
        ShellCommand.of(Checkout.current().imageScript().toString(), "build", program, image.toString(), tag)
                .within(LIMIT)
                .run();
        cluster.local().loadImage(image);
        return "localhost/portcullis/" + program + ":" + tag;
    }

    /** A web server on this machine that pods can reach. */
    private static HttpServer moduleServer(TestCluster cluster) {
        try {
            return HttpServer.create(new InetSocketAddress(cluster.local().hostAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The same policy at every path for which no other module is served. */
    private void serveModules() {
        byte[] standard;
        try {
            standard = Files.readAllBytes(Checkout.current().root().resolve("policies/privileged-pods/policy.wasm"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        modules.createContext("/", exchange -> {
            var gate = held;
            try (exchange) {
                gate.asked().complete(null);
                gate.released().join();
                var module = served.getOrDefault(exchange.getRequestURI().getPath(), standard);
                exchange.sendResponseHeaders(200, module.length);
                exchange.getResponseBody().write(module);
            }
        });
        modules.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        modules.start();
    }

    /** Serves a module under a path such as {@code /bad.wasm}; its address. */
    String serve(String path, byte[] module) {
        served.put(path, module);
        return "http://" + host() + path;
    }

    HeldModules holdModules() {
        held = new HeldModules(new CompletableFuture<>(), new CompletableFuture<>());
        return held;
    }

    /** The charts of this checkout. */
    static Path charts() {
        return Checkout.current().root().resolve("charts");
    }

    /** Where modules come from. */
    String host() {
        return cluster.local().hostAddress() + ":" + modules.getAddress().getPort();
    }

    String module() {
        return "http://" + host() + MODULE;
    }

    /** The same bytes at an address that has not been pulled from. */
    String newModule() {
        return "http://" + host() + "/" + UUID.randomUUID() + MODULE;
    }

    /** The custom resources and the controller, or their upgrade. Settings are {@code key=value,…}. */
    void installController(Path charts, String... settings) {
        apply(charts, "portcullis-crds", "--wait");
        apply(charts, "portcullis", "--wait", settings);
        awaitWebhooks();
    }

    /** The controller of this checkout, with times that are short enough for tests. */
    void installOwnController(String... settings) {
        var all = new ArrayList<>(List.of(
                "image.repository=localhost/portcullis/controller,image.tag=dev,auditScanner.enable=false",
                "webhookDrainSeconds=10,replicaGraceSeconds=20,certificateSettlingSeconds=30"));
        all.addAll(List.of(settings));
        installController(charts(), all.toArray(String[]::new));
    }

    /** Pods are ready a moment before kube-proxy leads requests to them. */
    private void awaitWebhooks() {
        await("the controller's webhooks")
                .atMost(LIMIT)
                .ignoreExceptionsInstanceOf(KubernetesClientException.class)
                .until(() -> {
                    cluster.client()
                            .resource(Policies.server("only-asked", 1, host()))
                            .dryRun(true)
                            .create();
                    return true;
                });
    }

    /** A policy server and policies, or their upgrade; helm knows nothing of their being ready. */
    void installDefaults(Path charts, String... settings) {
        apply(charts, "portcullis-defaults", "--wait=hookOnly", settings);
    }

    private void apply(Path charts, String chart, String wait, String... settings) {
        var words = new ArrayList<>(List.of(
                "upgrade",
                "--install",
                chart,
                charts.resolve(chart).toString(),
                // Classes share the cluster, and custom resources stay.
                "--take-ownership",
                wait,
                "--timeout",
                "5m"));
        for (var setting : settings) {
            words.addAll(List.of("--set", setting));
        }
        helm(words);
    }

    /** Returns when everything that the controller's chart made is gone. */
    void uninstallController() {
        helm(List.of("uninstall", "portcullis", "--wait", "--timeout", "5m"));
    }

    void uninstallDefaults() {
        helm(List.of("uninstall", "portcullis-defaults"));
    }

    private void helm(List<String> words) {
        var all = new ArrayList<>(List.of(
                Tools.current().ensured("helm").toString(),
                "--kubeconfig",
                cluster.local().kubeconfig().toString(),
                "--namespace",
                cluster.namespace()));
        all.addAll(words);
        ShellCommand.of(all).within(LIMIT.plusMinutes(1)).run();
    }

    /** Replicas of policy servers that are not on their way out. */
    List<Pod> replicas() {
        return cluster
                .client()
                .pods()
                .inNamespace(cluster.namespace())
                .withLabel("app.kubernetes.io/component", "policy-server")
                .list()
                .getItems()
                .stream()
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .toList();
    }

    /** How often containers of these replicas were started again. */
    int restarts() {
        return replicas().stream()
                .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
                .mapToInt(ContainerStatus::getRestartCount)
                .sum();
    }

    /** The process of the pod's container, as the machine sees it. */
    static ProcessHandle container(Pod pod) {
        var mark = "POD_UID=" + pod.getMetadata().getUid();
        return ProcessHandle.allProcesses()
                .filter(process -> {
                    try {
                        return Files.readString(
                                        Path.of("/proc", Long.toString(process.pid()), "environ"),
                                        StandardCharsets.ISO_8859_1)
                                .contains(mark);
                    } catch (IOException e) {
                        return false; // it has ended
                    }
                })
                .findFirst()
                .orElseThrow();
    }

    /** Webhooks of the whole cluster, whosever they are. */
    static List<HasMetadata> webhooks(TestCluster cluster) {
        var admission = cluster.client().admissionRegistration().v1();
        List<HasMetadata> webhooks = new ArrayList<>();
        webhooks.addAll(admission.validatingWebhookConfigurations().list().getItems());
        webhooks.addAll(admission.mutatingWebhookConfigurations().list().getItems());
        return webhooks;
    }

    /** Whatever came of the test: what is left of it would disturb the next class on this cluster. */
    @Override
    public void close() {
        modules.stop(0);
        webhooks(cluster).stream()
                .filter(webhook -> Serialization.asJson(webhook).contains('"' + cluster.namespace() + '"'))
                .forEach(webhook -> cluster.client().resource(webhook).delete());
        remove(AdmissionPolicy.class);
        remove(ClusterAdmissionPolicy.class);
        remove(PolicyServer.class);
    }

    private <T extends HasMetadata> void remove(Class<T> kind) {
        for (var object :
                cluster.client().resources(kind).inAnyNamespace().list().getItems()) {
            var resource = cluster.client().resource(object);
            resource.edit(found -> {
                found.getMetadata().setFinalizers(List.of());
                return found;
            });
            resource.delete();
        }
    }
}
