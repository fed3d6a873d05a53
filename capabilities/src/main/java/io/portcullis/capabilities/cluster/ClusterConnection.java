package io.portcullis.capabilities.cluster;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostRequest.AccessReview;
import io.portcullis.evaluator.host.HostRequest.KubernetesGetResource;
import io.portcullis.evaluator.host.KubernetesReader;
import io.portcullis.wasm.Deadline;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Connection to the cluster from in-cluster configuration, {@code KUBECONFIG} or {@code ~/.kube/config}, if there is one. The
 * client is created on the first host call, so that a program whose policies make none starts without it. An unreachable
 * cluster is a host error for the calling policy and never stops the program. Thread-safe.
 */
public final class ClusterConnection implements KubernetesReader, AutoCloseable {

    private final HttpClient.Factory http;
    private final boolean configured;
    private final Optional<Path> kubeconfig;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by the lock.
    private @Nullable KubernetesClient client;
    private @Nullable ClusterReader reader;

    private ClusterConnection(
            boolean configured, Optional<Path> kubeconfig, HttpClient.Factory http, InstantSource clock) {
        this.http = http;
        this.configured = configured;
        this.kubeconfig = kubeconfig;
        this.clock = clock;
    }

    private static boolean namesAFile(String list) {
        return Arrays.stream(list.split(File.pathSeparator, -1))
                .filter(name -> !name.isBlank())
                .anyMatch(name -> Files.isRegularFile(Path.of(name)));
    }

    /** Searches the usual locations for a cluster configuration. It does not connect yet. */
    public static ClusterConnection find(Map<String, String> environment, InstantSource clock) {
        return find(environment, new JdkHttpClientFactory(), clock);
    }

    /** @param http creates the HTTP client that carries the requests */
    public static ClusterConnection find(
            Map<String, String> environment, HttpClient.Factory http, InstantSource clock) {
        var home = environment.getOrDefault("HOME", "");
        var configured = environment.containsKey("KUBERNETES_SERVICE_HOST")
                || namesAFile(environment.getOrDefault("KUBECONFIG", ""))
                || (!home.isEmpty() && Files.isRegularFile(Path.of(home, ".kube", "config")));
        // The client itself merges several files.
        var kubeconfig = Optional.of(environment.getOrDefault("KUBECONFIG", ""))
                .filter(text -> !text.isBlank() && !text.contains(File.pathSeparator))
                .map(Path::of);
        return new ClusterConnection(configured, kubeconfig, http, clock);
    }

    /** Returns whether a cluster is configured. It may still be unreachable. */
    public boolean isConfigured() {
        return configured;
    }

    /**
     * Returns all kinds that the cluster serves as {@code {"resources": {"<group>|<version>|<Kind>": <APIResource>}}}.
     *
     * @throws HostCallException when the cluster is unreachable or discovery fails
     */
    public ObjectNode catalogue(Duration connectLimit) {
        try {
            var config = configuration()
                    .withConnectionTimeout(Math.toIntExact(connectLimit.toMillis()))
                    .withRequestRetryBackoffLimit(0)
                    .build();
            try (var temporaryClient = builder(config).build()) {
                return ApiResourceIndex.of(new ApiClient(temporaryClient));
            }
        } catch (KubernetesClientException e) {
            throw new HostCallException("cannot connect to the cluster: " + e.getMessage(), e);
        }
    }

    @Override
    public byte[] list(ListQuery query, Deadline deadline) {
        return reader().list(query, deadline);
    }

    @Override
    public byte[] get(KubernetesGetResource query, Deadline deadline) {
        return reader().get(query, deadline);
    }

    @Override
    public byte[] canI(AccessReview review, Deadline deadline) {
        return reader().canI(review, deadline);
    }

    @Override
    public String pluralName(String apiVersion, String kind, Deadline deadline) {
        return reader().pluralName(apiVersion, kind, deadline);
    }

    /**
     * Returns the client that host calls use, for other callers that need the cluster. This connection closes it.
     *
     * @throws KubernetesClientException when the configuration cannot be read
     */
    public KubernetesClient client() {
        lock.lock();
        try {
            return openClient();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the client and creates it if needed. The caller holds the lock. */
    private KubernetesClient openClient() {
        if (client == null) {
            client = builder(configuration().build()).build();
        }
        return client;
    }

    private KubernetesClientBuilder builder(Config config) {
        return new KubernetesClientBuilder().withConfig(config).withHttpClientFactory(http);
    }

    private ConfigBuilder configuration() {
        return kubeconfig
                .map(file -> new ConfigBuilder(Config.fromKubeconfig(file.toFile())))
                .orElseGet(ConfigBuilder::new);
    }

    private KubernetesReader reader() {
        if (!configured) {
            return KubernetesReader.absent();
        }
        lock.lock();
        try {
            if (reader == null) {
                reader = new ClusterReader(openClient(), clock);
            }
            return reader;
        } catch (KubernetesClientException e) {
            throw new HostCallException("cannot connect to the cluster: " + e.getMessage(), e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            if (reader != null) {
                reader.close();
            }
            if (client != null) {
                client.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
