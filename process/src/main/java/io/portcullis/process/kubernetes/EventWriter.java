package io.portcullis.process.kubernetes;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Events, so that {@code kubectl describe} shows the history of an object to users without access to our logs.
 * Events are best effort: one background thread writes them in order, and a failed write has no other effect.
 * Thread-safe.
 */
public final class EventWriter implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EventWriter.class);

    /** Kubernetes stores Events about cluster-wide objects in this namespace. */
    private static final String CLUSTER_WIDE = "default";

    private static final int MAX_MESSAGE_LENGTH = 1024;
    private static final int HASH_BYTES = 8;
    private static final int MAX_NAME_PREFIX = 253 - 2 * HASH_BYTES - 1;

    /** The number of Events that may wait while the API server is slow; the queue drops more. */
    private static final int QUEUE_CAPACITY = 10_000;

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration MIN_INTERVAL = Duration.ofMinutes(10);
    private static final int MAX_CACHED = 1000;

    /** What happens when the same event occurs again. */
    public enum Repetition {

        /** Increases the count of the first Event. The program needs permission to read and update Events. */
        COUNTED,

        /** Writes the same reason and message at most once in ten minutes. The program only needs permission to create Events. */
        LIMITED
    }

    /** What makes two events the same. */
    private record Occurrence(String uid, String reason, String message) {}

    private final KubernetesClient client;
    private final EventSource source;
    private final Repetition repetition;
    private final InstantSource clock;
    /** When an event was written last. Guarded by itself. */
    private final Map<Occurrence, Instant> lastWritten = new HashMap<>();

    private final ThreadPoolExecutor thread = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(QUEUE_CAPACITY),
            Thread.ofPlatform().name("events").daemon().factory(),
            new ThreadPoolExecutor.DiscardPolicy());

    /** @param source the program that writes the Events */
    public EventWriter(KubernetesClient client, EventSource source, Repetition repetition, InstantSource clock) {
        this.client = client;
        this.source = source;
        this.repetition = repetition;
        this.clock = clock;
    }

    public void write(HasMetadata about, boolean isWarning, String reason, String message) {
        var metadata = about.getMetadata();
        var reference = new ObjectReferenceBuilder()
                .withApiVersion(about.getApiVersion())
                .withKind(about.getKind())
                .withName(metadata.getName())
                .withNamespace(metadata.getNamespace())
                .withUid(metadata.getUid())
                .withResourceVersion(metadata.getResourceVersion())
                .build();
        write(new Occurrence(metadata.getUid(), reason, message), () -> reference, isWarning);
    }

    /**
     * Writes an Event about the one object of which this program writes Events by this method.
     *
     * @param about is called on the background thread, so that it may ask the API server
     */
    public void write(Supplier<ObjectReference> about, boolean isWarning, String reason, String message) {
        write(new Occurrence("", reason, message), about, isWarning);
    }

    private void write(Occurrence occurrence, Supplier<ObjectReference> about, boolean isWarning) {
        var now = clock.instant();
        if (repetition == Repetition.COUNTED || isDue(occurrence, now)) {
            thread.execute(() -> attempt(about, isWarning, occurrence.reason(), shortened(occurrence.message()), now));
        }
    }

    /** Records the time only of what is written. An event that repeats all the time must not suppress itself forever. */
    private boolean isDue(Occurrence occurrence, Instant now) {
        synchronized (lastWritten) {
            var before = lastWritten.get(occurrence);
            if (before != null && before.plus(MIN_INTERVAL).isAfter(now)) {
                return false;
            }
            if (lastWritten.size() >= MAX_CACHED) {
                lastWritten.clear();
            }
            lastWritten.put(occurrence, now);
            return true;
        }
    }

    private static String shortened(String message) {
        return message.length() <= MAX_MESSAGE_LENGTH ? message : message.substring(0, MAX_MESSAGE_LENGTH - 1) + "…";
    }

    private void attempt(
            Supplier<ObjectReference> about, boolean isWarning, String reason, String message, Instant now) {
        try {
            create(event(about.get(), isWarning, reason, message, now));
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("reason", reason)
                    .addKeyValue("message", message)
                    .addKeyValue("error", e.getMessage())
                    .log("cannot write the Event");
        }
    }

    private void create(Event event) {
        try {
            // A raw request, because the answer is not needed.
            client.raw("/api/v1/namespaces/" + event.getMetadata().getNamespace() + "/events", "POST", event);
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
                throw e;
            }
            count(event);
        }
    }

    private void count(Event event) {
        var existing = client.resource(event).get();
        if (existing != null) {
            client.resource(new EventBuilder(existing)
                            .withCount(Objects.requireNonNullElse(existing.getCount(), 1) + 1)
                            .withLastTimestamp(event.getLastTimestamp())
                            .build())
                    .update();
        }
    }

    private Event event(ObjectReference about, boolean isWarning, String reason, String message, Instant now) {
        var time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        var event = new EventBuilder()
                .withNewMetadata()
                .withNamespace(Objects.requireNonNullElse(about.getNamespace(), CLUSTER_WIDE))
                .endMetadata()
                .withInvolvedObject(about)
                .withType(isWarning ? "Warning" : "Normal")
                .withReason(reason)
                .withMessage(message)
                .withSource(source)
                .withReportingComponent(source.getComponent())
                .withReportingInstance(Objects.requireNonNullElse(source.getHost(), source.getComponent()))
                .withFirstTimestamp(time)
                .withLastTimestamp(time)
                .withCount(1)
                .build();
        var prefix = about.getName().substring(0, Math.min(about.getName().length(), MAX_NAME_PREFIX)) + ".";
        switch (repetition) {
            case COUNTED -> event.getMetadata().setName(prefix + hash(about.getUid() + "/" + reason + "/" + message));
            case LIMITED -> event.getMetadata().setGenerateName(prefix);
        }
        return event;
    }

    private static String hash(String text) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JVM has no SHA-256", e);
        }
    }

    /** Writes the queued Events, if that does not take long. */
    @Override
    public void close() {
        close(CLOSE_TIMEOUT);
    }

    /** Writes the queued Events, if that takes no longer than the limit. */
    public void close(Duration limit) {
        thread.shutdown();
        try {
            if (!thread.awaitTermination(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                thread.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
