package io.portcullis.testkit.cluster;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.testkit.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The view that one test class has of the cluster: its own namespace, and a client with that default namespace. */
public final class TestCluster implements AutoCloseable {

    private static final String CRD_FILE_PREFIX = "policies.kubewarden.io_";
    private static final Duration DEFINITION_LIMIT = Duration.ofSeconds(30);

    private final LocalCluster local;
    private final Level level;
    private final KubernetesClient client;
    private final String namespace;
    private final Deque<HasMetadata> deletedOnClose = new ArrayDeque<>();

    private TestCluster(LocalCluster local, Level level, KubernetesClient client, String namespace) {
        this.local = local;
        this.level = level;
        this.client = client;
        this.namespace = namespace;
    }

    /** Creates a namespace that is named after the test class. {@link RealCluster} calls this for tests. */
    public static TestCluster open(LocalCluster local, Level level, String testClass) {
        var namespace = namespaceFor(testClass);
        var config = Config.fromKubeconfig(local.kubeconfig().toFile());
        config.setNamespace(namespace);
        var client = new KubernetesClientBuilder().withConfig(config).build();
        var cluster = new TestCluster(local, level, client, namespace);
        cluster.apply(new NamespaceBuilder()
                .withNewMetadata()
                .withName(namespace)
                .endMetadata()
                .build());
        if (level == Level.API) {
            // No controller creates the ServiceAccount at this level, and the API server refuses pods without it.
            cluster.apply(new ServiceAccountBuilder()
                    .withNewMetadata()
                    .withName("default")
                    .withNamespace(namespace)
                    .endMetadata()
                    .build());
        }
        return cluster;
    }

    private static String namespaceFor(String testClass) {
        var readable = testClass.replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase(Locale.ROOT);
        var shortened = readable.substring(0, Math.min(readable.length(), 40));
        return "test-" + shortened + "-" + UUID.randomUUID().toString().substring(0, 6);
    }

    /** Returns a client with cluster administrator rights. Its default namespace is {@link #namespace()}. */
    public KubernetesClient client() {
        return client;
    }

    public String namespace() {
        return namespace;
    }

    /** Returns the cluster itself, to stop or disconnect nodes, load images, or get the host's address. */
    public LocalCluster local() {
        return local;
    }

    /**
     * Applies an object and deletes it when the class ends. Objects in the namespace are deleted with the namespace.
     */
    public <T extends HasMetadata> T apply(T object) {
        // A cluster without controllers never finishes the deletion of a namespace.
        if (object instanceof Namespace && level != Level.API) {
            awaitTermination(object.getMetadata().getName());
        }
        synchronized (deletedOnClose) {
            deletedOnClose.push(object);
        }
        return client.resource(object).forceConflicts().serverSideApply();
    }

    /** Waits while an earlier namespace of this name terminates. A repeated class cannot create objects in it. */
    private void awaitTermination(String namespace) {
        client.namespaces()
                .withName(namespace)
                .waitUntilCondition(
                        found -> found == null || found.getMetadata().getDeletionTimestamp() == null,
                        2,
                        TimeUnit.MINUTES);
    }

    /**
     * Installs our CRDs from the chart. They stay installed, unlike objects from {@link #apply}: classes share the
     * cluster, and a CRD that terminates cannot be created again at once.
     */
    public void installCrds() {
        var chart = Checkout.current().root().resolve("charts/portcullis-crds/templates");
        try (var files = Files.list(chart)) {
            for (Path file : files.filter(path -> path.getFileName().toString().startsWith(CRD_FILE_PREFIX))
                    .sorted()
                    .toList()) {
                var definition = Serialization.unmarshal(Files.readString(file), CustomResourceDefinition.class);
                client.resource(definition).forceConflicts().serverSideApply();
                await(client.resource(definition), TestCluster::isEstablished, DEFINITION_LIMIT);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read " + chart, e);
        }
    }

    private static boolean isEstablished(CustomResourceDefinition definition) {
        return definition.getStatus() != null
                && definition.getStatus().getConditions() != null // absent at first
                && definition.getStatus().getConditions().stream()
                        .anyMatch(condition -> condition.getType().equals("Established")
                                && condition.getStatus().equals("True"));
    }

    /**
     * Watches an object until it exists and meets a condition. On timeout, the exception contains the last state of the
     * object.
     */
    public <T extends HasMetadata> T await(Resource<T> resource, Predicate<T> condition, Duration limit) {
        try {
            return resource.waitUntilCondition(
                    object -> object != null && condition.test(object), limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (KubernetesClientTimeoutException e) {
            var last = resource.get();
            throw new ClusterException(
                    "waited " + limit.toSeconds() + " s in vain; the object is now: "
                            + (last == null ? "missing" : Serialization.asYaml(last)),
                    e);
        }
    }

    /** Returns the reasons of all Events about a cluster-scoped object with this name. */
    public List<String> eventReasons(String name) {
        return client.v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> name.equals(event.getInvolvedObject().getName()))
                .map(Event::getReason)
                .toList();
    }

    /** Creates a Service in the namespace. Its only endpoint is a port of this machine on which a test listens. */
    public HostService exposeHost(String name, int port) {
        var service = new HostService(namespace, name, local.hostAddress(), port);
        apply(service.service());
        apply(service.endpoints());
        return service;
    }

    @Override
    public void close() {
        try (client) {
            synchronized (deletedOnClose) {
                deletedOnClose.forEach(this::remove);
            }
        }
    }

    private void remove(HasMetadata object) {
        try {
            client.resource(object).delete();
        } catch (KubernetesClientException e) {
            throw new ClusterException("cannot remove " + object.getFullResourceName(), e);
        }
    }
}
