package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.Policy;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.time.Clock;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events, so that {@code kubectl describe} shows the history of a policy to users without access to our logs. A
 * repeated event increases the count of the first Event. Events are best effort: one background thread writes them in
 * order, and a failed write has no other effect. Thread-safe.
 */
final class EventRecorder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);

    private static final String COMPONENT = "kubewarden-controller";
    /** The namespace of Events about cluster-wide objects. */
    private static final String CLUSTER_WIDE = "default";

    private static final int MAX_MESSAGE_LENGTH = 1024;
    private static final int MAX_NAME_PREFIX = 253 - 17;

    /** The number of Events that may wait while the API server is slow; the queue drops more. */
    private static final int QUEUE_CAPACITY = 10_000;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final Clock clock;
    private final ThreadPoolExecutor writer = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUE_CAPACITY),
            Thread.ofPlatform().name("events").daemon().factory(),
            new ThreadPoolExecutor.DiscardPolicy());

    EventRecorder(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    void record(Policy policy, EventDraft draft) {
        var event = event(policy, draft);
        writer.execute(() -> attempt(policy, draft, event));
    }

    private void attempt(Policy policy, EventDraft draft, Event event) {
        try {
            write(event);
        } catch (KubernetesClientException e) {
            log.atDebug()
                    .addKeyValue("policy", policy.ref().display())
                    .addKeyValue("reason", draft.reason())
                    .log("cannot write the event: {}", e.getMessage());
        }
    }

    private void write(Event event) {
        try {
            // A raw request, because the answer is not needed.
            client.raw("/api/v1/namespaces/" + event.getMetadata().getNamespace() + "/events", "POST", event);
        } catch (KubernetesClientException e) {
            if (!ApiWriter.isConflict(e)) {
                throw e;
            }
            var existing = client.resource(event).get();
            if (existing != null) {
                client.resource(new EventBuilder(existing)
                                .withCount(Objects.requireNonNullElse(existing.getCount(), 1) + 1)
                                .withLastTimestamp(event.getLastTimestamp())
                                .build())
                        .update();
            }
        }
    }

    private Event event(Policy policy, EventDraft draft) {
        var metadata = policy.getMetadata();
        var namespace = Objects.requireNonNullElse(metadata.getNamespace(), CLUSTER_WIDE);
        var message = draft.message().length() <= MAX_MESSAGE_LENGTH
                ? draft.message()
                : draft.message().substring(0, MAX_MESSAGE_LENGTH - 1) + "…";
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name(metadata.getName(), metadata.getUid() + "/" + draft.reason() + "/" + message))
                .endMetadata()
                .withInvolvedObject(new ObjectReferenceBuilder()
                        .withApiVersion(policy.getApiVersion())
                        .withKind(policy.getKind())
                        .withName(metadata.getName())
                        .withNamespace(metadata.getNamespace())
                        .withUid(metadata.getUid())
                        .withResourceVersion(metadata.getResourceVersion())
                        .build())
                .withType(draft.isWarning() ? "Warning" : "Normal")
                .withReason(draft.reason())
                .withMessage(message)
                .withNewSource()
                .withComponent(COMPONENT)
                .endSource()
                .withReportingComponent(COMPONENT)
                .withFirstTimestamp(now)
                .withLastTimestamp(now)
                .withCount(1)
                .build();
    }

    private static String name(String policy, String identity) {
        var hash = HexFormat.of().formatHex(CanonicalJson.sha256(identity), 0, 8);
        return policy.substring(0, Math.min(policy.length(), MAX_NAME_PREFIX)) + "." + hash;
    }

    /** Writes the queued Events, if that does not take long. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                writer.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
