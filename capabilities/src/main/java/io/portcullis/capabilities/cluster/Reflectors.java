package io.portcullis.capabilities.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.evaluator.host.KubernetesReader.ListQuery;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * One watched list per distinct query, shared by all policies. A list without a read for ten minutes is removed. When the
 * limit is reached, the least recently used list is removed. Thread-safe.
 */
final class Reflectors implements AutoCloseable {

    private static final Duration MAX_IDLE = Duration.ofMinutes(10);
    private static final int MAX_LISTS = 200;

    private final KubernetesClient client;
    private final ApiClient api;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<ListQuery, Reflector> byQuery = new LinkedHashMap<>();

    Reflectors(KubernetesClient client, ApiClient api, InstantSource clock) {
        this.client = client;
        this.api = api;
        this.clock = clock;
    }

    byte[] list(ResourceType type, ListQuery query, Deadline deadline) {
        var reflector = take(type, query);
        try {
            return reflector.list(deadline);
        } catch (RuntimeException e) {
            // The list failed before it was complete: the next call starts a new one.
            if (!reflector.isSynced()) {
                drop(query, reflector);
            }
            throw e;
        }
    }

    private Reflector take(ResourceType type, ListQuery query) {
        lock.lock();
        try {
            var now = clock.instant();
            removeIdle();
            var reflector = byQuery.computeIfAbsent(query, _ -> Reflector.start(client, api, type, query));
            reflector.used(now);
            return reflector;
        } finally {
            lock.unlock();
        }
    }

    private void removeIdle() {
        var oldest = clock.instant().minus(MAX_IDLE);
        byQuery.values().removeIf(reflector -> {
            boolean idle = reflector.lastUsed().isBefore(oldest);
            if (idle) {
                reflector.close();
            }
            return idle;
        });
        if (byQuery.size() >= MAX_LISTS) {
            byQuery.entrySet().stream()
                    .min(Comparator.comparing(entry -> entry.getValue().lastUsed()))
                    .ifPresent(entry -> {
                        entry.getValue().close();
                        byQuery.remove(entry.getKey());
                    });
        }
    }

    private void drop(ListQuery query, Reflector reflector) {
        lock.lock();
        try {
            byQuery.remove(query, reflector);
        } finally {
            lock.unlock();
        }
        reflector.close();
    }

    int size() {
        lock.lock();
        try {
            return byQuery.size();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            byQuery.values().forEach(Reflector::close);
            byQuery.clear();
        } finally {
            lock.unlock();
        }
    }
}
