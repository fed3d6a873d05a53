package io.portcullis.capabilities.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.portcullis.evaluator.host.FieldMasks;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.KubernetesReader.ListQuery;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one list in sync with the API server: lists in pages, then watches, and lists again when the watch ends. Each
 * reflector runs on its own virtual thread. An error before the first complete list is returned to waiting callers at once.
 */
final class Reflector implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Reflector.class);
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final long PAGE = 500;
    private static final Duration FIRST_PAUSE = Duration.ofMillis(800);
    private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

    private final KubernetesClient client;
    private final ApiClient api;
    private final ResourceType type;
    private final ListQuery query;
    private final ObjectCache cache;
    private final CompletableFuture<Boolean> synced = new CompletableFuture<>();
    private final Thread thread;
    private volatile Instant lastUsed = Instant.MIN;

    private Reflector(KubernetesClient client, ApiClient api, ResourceType type, ListQuery query) {
        this.client = client;
        this.api = api;
        this.type = type;
        this.query = query;
        this.cache = new ObjectCache(type, FieldMasks.of(query.fieldMasks()));
        this.thread = Thread.ofVirtual().name("reflector " + type).unstarted(this::run);
    }

    static Reflector start(KubernetesClient client, ApiClient api, ResourceType type, ListQuery query) {
        var reflector = new Reflector(client, api, type, query);
        reflector.thread.start();
        return reflector;
    }

    void used(Instant now) {
        lastUsed = now;
    }

    Instant lastUsed() {
        return lastUsed;
    }

    boolean isSynced() {
        return synced.isDone() && !synced.isCompletedExceptionally();
    }

    byte[] list(Deadline deadline) {
        try {
            synced.get(deadline.remaining().toNanos(), TimeUnit.NANOSECONDS);
            return cache.list();
        } catch (TimeoutException e) {
            throw new HostCallException("the API server has not listed all " + type + " in time", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new HostCallException(e.toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new HostCallException("interrupted", e);
        }
    }

    private void run() {
        var pause = FIRST_PAUSE;
        while (!Thread.currentThread().isInterrupted()) {
            try {
                var version = listAll();
                synced.complete(true);
                watch(version);
                // Limits the rate of full lists when the server ends every watch at once.
                sleep(FIRST_PAUSE);
                pause = FIRST_PAUSE;
            } catch (HostCallException | TypeGoneException e) {
                if (synced.completeExceptionally(e)) {
                    return;
                }
                log.atWarn()
                        .addKeyValue("resource", type)
                        .addKeyValue("error", e.getMessage())
                        .log("cannot list, the last known objects are served");
                pause = sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private static Duration sleep(Duration pause) {
        try {
            Thread.sleep(pause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        var next = pause.multipliedBy(2);
        return next.compareTo(MAX_PAUSE) < 0 ? next : MAX_PAUSE;
    }

    /** Lists all pages. Returns the resource version from which to watch. */
    private String listAll() {
        var items = new ArrayList<JsonNode>();
        var next = "";
        while (true) {
            var page = api.getTree(path(next)).orElseThrow(() -> new TypeGoneException(type));
            page.path("items").forEach(items::add);
            next = page.path("metadata").path("continue").asText("");
            if (next.isEmpty()) {
                cache.replace(items);
                return page.path("metadata").path("resourceVersion").asText();
            }
        }
    }

    private String path(String next) {
        var parameters = new ArrayList<>(List.of("limit=" + PAGE));
        query.labelSelector().ifPresent(selector -> parameters.add("labelSelector=" + ApiClient.escape(selector)));
        query.fieldSelector().ifPresent(selector -> parameters.add("fieldSelector=" + ApiClient.escape(selector)));
        if (!next.isEmpty()) {
            parameters.add("continue=" + ApiClient.escape(next));
        }
        return type.path(query.namespace()) + "?" + String.join("&", parameters);
    }

    /** Watches until the watch ends. */
    private void watch(String version) throws InterruptedException {
        var ended = new CountDownLatch(1);
        var context = new ResourceDefinitionContext.Builder()
                .withGroup(type.group())
                .withVersion(type.version())
                .withKind(type.kind())
                .withPlural(type.plural())
                .withNamespaced(type.namespaced())
                .build();
        var resources = client.genericKubernetesResources(context);
        var scope = query.namespace().isPresent()
                ? resources.inNamespace(query.namespace().get())
                : resources.inAnyNamespace();
        try (var _ = scope.watch(options(version), new Events(ended))) {
            ended.await();
        }
    }

    private ListOptions options(String version) {
        return new ListOptionsBuilder()
                .withResourceVersion(version)
                .withAllowWatchBookmarks(true)
                .withLabelSelector(query.labelSelector().orElse(null))
                .withFieldSelector(query.fieldSelector().orElse(null))
                .build();
    }

    @Override
    public void close() {
        synced.completeExceptionally(new HostCallException("the list of " + type + " is no longer watched"));
        thread.interrupt();
    }

    private final class Events implements Watcher<GenericKubernetesResource> {
        private final CountDownLatch ended;

        Events(CountDownLatch ended) {
            this.ended = ended;
        }

        @Override
        public void eventReceived(Action action, GenericKubernetesResource resource) {
            switch (action) {
                case ADDED, MODIFIED -> object(resource).ifPresent(cache::put);
                case DELETED -> object(resource).ifPresent(cache::remove);
                case BOOKMARK -> {}
                case ERROR -> ended.countDown();
            }
        }

        private Optional<ObjectNode> object(GenericKubernetesResource resource) {
            return JSON.valueToTree(resource) instanceof ObjectNode object ? Optional.of(object) : Optional.empty();
        }

        @Override
        public void onClose(WatcherException cause) {
            ended.countDown();
        }

        @Override
        public void onClose() {
            ended.countDown();
        }
    }
}
