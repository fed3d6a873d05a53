package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.discovery.v1.Endpoint;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.readiness.Readiness;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/** When replicas became ready and unready and where their Services sent requests: what explains lost requests. */
final class Timeline implements AutoCloseable {

    private static final int LIMIT = 200;
    private static final String SERVICE = "kubernetes.io/service-name";

    private final long begun = System.nanoTime();
    private final Queue<String> entries = new ConcurrentLinkedQueue<>();
    private final Map<String, String> last = new ConcurrentHashMap<>();
    private final List<Watch> watches = new ArrayList<>();

    static Timeline none() {
        return new Timeline();
    }

    static Timeline watch(KubernetesClient client) {
        var timeline = new Timeline();
        timeline.watches.add(client.pods()
                .inAnyNamespace()
                .withLabel("app.kubernetes.io/component", "policy-server")
                .watch(timeline.watcher(Timeline::describe)));
        timeline.watches.add(client.discovery()
                .v1()
                .endpointSlices()
                .inAnyNamespace()
                .withLabel(SERVICE)
                .watch(timeline.watcher(Timeline::describe)));
        return timeline;
    }

    /** {@code 12.3 s}, since the beginning. */
    String now() {
        return String.format(
                "%.1f s", Duration.ofNanos(System.nanoTime() - begun).toMillis() / 1000.0);
    }

    List<String> entries() {
        return entries.stream().limit(LIMIT).toList();
    }

    private static String describe(Pod pod) {
        var isLeaving = pod.getMetadata().getDeletionTimestamp() != null;
        return "pod " + pod.getMetadata().getName() + (Readiness.isPodReady(pod) ? " ready" : " not ready")
                + (isLeaving ? ", terminating" : "");
    }

    private static String describe(EndpointSlice slice) {
        // A slice is without the list while it leads nowhere.
        var endpoints = Objects.requireNonNullElse(slice.getEndpoints(), List.<Endpoint>of()).stream()
                .map(endpoint -> endpoint.getTargetRef() == null
                        ? "an address"
                        : endpoint.getTargetRef().getName() + " (ready "
                                + endpoint.getConditions().getReady() + ", serving "
                                + endpoint.getConditions().getServing() + ")")
                .sorted()
                .toList();
        return "endpoints of " + slice.getMetadata().getLabels().get(SERVICE) + " " + endpoints;
    }

    private <T extends HasMetadata> Watcher<T> watcher(Function<T, String> describe) {
        return new Watcher<>() {
            @Override
            public void eventReceived(Action action, T object) {
                if (!object.getMetadata().getName().startsWith("policy-server-")) {
                    return;
                }
                var entry = describe.apply(object) + (action == Action.DELETED ? ", deleted" : "");
                if (!entry.equals(last.put(object.getMetadata().getUid(), entry))) {
                    entries.add(now() + ": " + entry);
                }
            }

            @Override
            public void onClose(WatcherException cause) {
                entries.add(now() + ": the watch ended: " + cause.getMessage());
            }
        };
    }

    @Override
    public void close() {
        watches.forEach(Watch::close);
    }
}
