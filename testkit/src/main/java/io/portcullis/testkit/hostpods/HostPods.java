package io.portcullis.testkit.hostpods;

import io.fabric8.kubernetes.api.model.AuthInfoBuilder;
import io.fabric8.kubernetes.api.model.Config;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatusBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointPortBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.portcullis.testkit.cluster.TestCluster;
import io.portcullis.testkit.fault.Cable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the StatefulSets and Deployments of one namespace as local processes. It scales them, rolls them out when their
 * template changes, and maintains pod status, StatefulSet status and the EndpointSlices of Services.
 */
public final class HostPods implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(HostPods.class);
    private static final Duration PERIOD = Duration.ofMillis(200);

    private final TestCluster cluster;
    private final KubernetesClient client;
    private final String namespace;
    private final Path directory;
    private final Function<Container, List<String>> programs;
    private final HostAddresses addresses;
    private final HostObjects objects;
    private final Map<String, Running> pods = new ConcurrentHashMap<>();
    private final Map<String, String> slices = new TreeMap<>();
    private final ScheduledExecutorService loop = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("host-pods").daemon().factory());
    private int created;

    /**
     * A pod that runs.
     *
     * @param workload the UID of the workload; another workload with the same name has its own pods
     */
    private record Running(HostPod pod, String workload, String template) {}

    private HostPods(
            TestCluster cluster, String namespace, Path directory, Function<Container, List<String>> programs) {
        this.cluster = cluster;
        this.client = cluster.client();
        this.namespace = namespace;
        this.directory = directory;
        this.programs = programs;
        this.addresses = HostAddresses.of(cluster.local().hostAddress());
        this.objects = new HostObjects(client, namespace);
    }

    /**
     * Starts the loop at once.
     *
     * @param directory the directory for volumes and output
     * @param programs returns the command to run for a container
     */
    public static HostPods start(
            TestCluster cluster, String namespace, Path directory, Function<Container, List<String>> programs) {
        var pods = new HostPods(cluster, namespace, directory, programs);
        var _ = pods.loop.scheduleWithFixedDelay(pods::iterate, 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        return pods;
    }

    /** Returns a pod by name. Fails if the pod does not exist (yet). */
    public HostPod pod(String name) {
        var running = pods.get(name);
        if (running == null) {
            throw new IllegalArgumentException("no pod " + name + " among " + pods.keySet());
        }
        return running.pod();
    }

    public List<HostPod> all() {
        return pods.values().stream()
                .map(Running::pod)
                .sorted(Comparator.comparing(HostPod::name))
                .toList();
    }

    private void iterate() {
        try {
            var sets = objects.statefulSets();
            var workloads = Stream.concat(
                            sets.stream().map(Workload::of),
                            objects.deployments().stream().map(Workload::of))
                    .toList();
            var wanted = workloads.stream()
                    .flatMap(workload -> workload.podNames().stream())
                    .toList();
            pods.keySet().stream()
                    .filter(name -> !wanted.contains(name))
                    .toList()
                    .forEach(this::remove);
            workloads.forEach(workload -> {
                if (workload.isLeaving()) {
                    finishDeletion(workload);
                } else {
                    iterate(workload);
                }
            });
            pods.values().forEach(running -> running.pod().tick(objects));
            sets.forEach(this::report);
            publish();
        } catch (KubernetesClientException | UncheckedIOException e) {
            log.atDebug().setCause(e).log("iteration failed; will retry");
        } catch (RuntimeException e) {
            log.atWarn().setCause(e).log("cannot run pods");
        }
    }

    /** Removes the foreground deletion finalizer, as the garbage collector does. The pods are already deleted. */
    private void finishDeletion(Workload workload) {
        if (workload.object().hasFinalizer("foregroundDeletion")) {
            client.resource(workload.object()).edit(object -> {
                object.removeFinalizer("foregroundDeletion");
                return object;
            });
        }
    }

    private void iterate(Workload workload) {
        var template = workload.templateText();
        var rolling = false;
        for (int ordinal = workload.replicas() - 1; ordinal >= 0; ordinal--) {
            var name = workload.podName(ordinal);
            var running = pods.get(name);
            if (running != null && !running.workload().equals(workload.uid())) {
                remove(name);
                running = null;
            }
            if (running != null
                    && ordinal >= workload.partition()
                    && !running.template().equals(template)
                    && !rolling) {
                // One pod at a time, highest ordinal first. The next pod follows when this pod is ready again.
                remove(name);
                running = null;
            }
            if (running == null) {
                startPod(workload, ordinal, template);
            }
            var now = pods.get(name);
            rolling |= now == null || !now.pod().isReady();
        }
    }

    private void startPod(Workload workload, int ordinal, String template) {
        var name = workload.podName(ordinal);
        var pod = client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .withNamespace(namespace)
                        .withLabels(workload.labels(ordinal))
                        .withAnnotations(workload.template().getMetadata().getAnnotations())
                        .endMetadata()
                        .withSpec(workload.template().getSpec())
                        .build())
                .create();
        var own = directory.resolve(name + "-" + ++created);
        var line = apiServerCable(cluster);
        pods.put(
                name,
                new Running(
                        new HostPod(
                                client,
                                pod,
                                addresses.take(),
                                own,
                                directory.resolve("claims"),
                                programs,
                                identity(pod, own, line),
                                line),
                        workload.uid(),
                        template));
    }

    /** Creates a connection to the API server that only one process uses. */
    public static Cable apiServerCable(TestCluster cluster) {
        var server = URI.create(cluster.client().getConfiguration().getMasterUrl());
        return Cable.to(server.getHost(), server.getPort());
    }

    /**
     * Creates a kubeconfig with a pod-bound token, as a kubelet mounts it. The pod has only the permissions of its
     * roles.
     */
    private Map<String, String> identity(Pod pod, Path own, Cable line) {
        var account = pod.getSpec().getServiceAccountName();
        var token = client.serviceAccounts()
                .inNamespace(namespace)
                .withName(account == null || account.isEmpty() ? "default" : account)
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withNewBoundObjectRef()
                        .withApiVersion("v1")
                        .withKind("Pod")
                        .withName(pod.getMetadata().getName())
                        .withUid(pod.getMetadata().getUid())
                        .endBoundObjectRef()
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
        try {
            Files.createDirectories(own);
            var file = own.resolve("kubeconfig");
            Files.writeString(file, withToken(Files.readString(cluster.local().kubeconfig()), token, line));
            return Map.of("KUBECONFIG", file.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the administrator's kubeconfig with a different token and a different connection to the API server. */
    public static String withToken(String kubeconfig, String token, Cable line) {
        var config = Serialization.unmarshal(kubeconfig, Config.class);
        config.getClusters().forEach(each -> each.getCluster().setServer("https://127.0.0.1:" + line.port()));
        config.getUsers()
                .forEach(user ->
                        user.setUser(new AuthInfoBuilder().withToken(token).build()));
        return Serialization.asYaml(config);
    }

    /** Removes a pod. Its endpoints are removed before the process ends, as in a cluster. */
    private void remove(String name) {
        var running = pods.remove(name);
        if (running != null) {
            publish();
            running.pod().remove();
        }
    }

    private void publish() {
        objects.services().forEach(this::publish);
    }

    private void report(StatefulSet set) {
        var workload = Workload.of(set);
        var template = workload.templateText();
        var mine = workload.podNames().stream()
                .flatMap(name -> Stream.ofNullable(pods.get(name)))
                .toList();
        var ready = (int) mine.stream().filter(one -> one.pod().isReady()).count();
        var updated = (int)
                mine.stream().filter(one -> one.template().equals(template)).count();
        var status = new StatefulSetStatusBuilder()
                .withObservedGeneration(set.getMetadata().getGeneration())
                .withReplicas(mine.size())
                .withReadyReplicas(ready)
                .withAvailableReplicas(ready)
                .withUpdatedReplicas(updated)
                .withCurrentReplicas(updated == mine.size() ? updated : mine.size() - updated)
                .withUpdateRevision(workload.revision())
                .withCurrentRevision(updated == mine.size() ? workload.revision() : "old")
                .build();
        if (!status.equals(set.getStatus())) {
            client.apps()
                    .statefulSets()
                    .inNamespace(namespace)
                    .withName(set.getMetadata().getName())
                    .editStatus(current -> {
                        current.setStatus(status);
                        return current;
                    });
        }
    }

    /** Does the work of the endpoints controller for one Service. */
    private void publish(Service service) {
        var selector = service.getSpec().getSelector();
        if (selector == null || selector.isEmpty()) {
            return;
        }
        var endpoints = all().stream()
                .filter(pod -> pod.labels().entrySet().containsAll(selector.entrySet()))
                .map(pod -> new EndpointBuilder()
                        .withAddresses(pod.address())
                        .withNewConditions()
                        .withReady(pod.isReady())
                        .withServing(pod.isReady())
                        .withTerminating(false)
                        .endConditions()
                        .withNewTargetRef()
                        .withKind("Pod")
                        .withName(pod.name())
                        .withNamespace(namespace)
                        .withUid(pod.uid())
                        .endTargetRef()
                        .build())
                .toList();
        var ports = service.getSpec().getPorts().stream()
                .map(port -> new EndpointPortBuilder()
                        .withName(port.getName())
                        .withPort(port.getTargetPort().getIntVal())
                        .withProtocol("TCP")
                        .build())
                .toList();
        var name = service.getMetadata().getName();
        if (endpoints.isEmpty() && !slices.containsKey(name)) {
            return; // The Service does not select our pods.
        }
        var slice = new EndpointSliceBuilder()
                .withNewMetadata()
                .withName(name + "-host")
                .withNamespace(namespace)
                .addToLabels("kubernetes.io/service-name", name)
                .endMetadata()
                .withAddressType("IPv4")
                .withEndpoints(endpoints)
                .withPorts(ports)
                .build();
        var text = Serialization.asJson(slice);
        if (!text.equals(slices.get(name))) {
            client.resource(slice).forceConflicts().serverSideApply();
            slices.put(name, text);
        }
    }

    @Override
    public void close() {
        loop.shutdown();
        try {
            if (!loop.awaitTermination(1, TimeUnit.MINUTES)) {
                log.atWarn().log("the loop has not stopped after one minute");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        pods.keySet().forEach(this::remove);
        objects.close();
        addresses.close();
    }
}
