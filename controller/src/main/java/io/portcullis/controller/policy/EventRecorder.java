package io.portcullis.controller.policy;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.lifecycle.TransitionEvents.Happening;
import io.portcullis.api.policy.Policy;
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
 * Writes Events, so that {@code kubectl describe} tells the story of a policy to people who may not read our logs. The
 * same happening again counts up the first Event. Events are a courtesy: they are written in order but in the background, and
 * one that cannot be written stops nothing. Thread-safe.
 */
final class EventRecorder implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);

    private static final String COMPONENT = "kubewarden-controller";
    /** Where Events about cluster-wide objects live. */
    private static final String CLUSTER_WIDE = "default";

    private static final int LONGEST_MESSAGE = 1024;
    private static final int LONGEST_NAME = 253 - 17;

    /** So many may wait while the API server is slow; more are not worth the memory. */
    private static final int WAITING = 10_000;

    private static final Duration LAST_WORDS = Duration.ofSeconds(2);

    private final KubernetesClient client;
    private final Clock clock;
    private final ThreadPoolExecutor writer = new ThreadPoolExecutor(
            1,
            1,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(WAITING),
            Thread.ofPlatform().name("events").daemon().factory(),
            new ThreadPoolExecutor.DiscardPolicy());

    EventRecorder(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    void record(Policy policy, Happening happening) {
        var event = event(policy, happening);
        writer.execute(() -> attempt(policy, happening, event));
    }

    private void attempt(Policy policy, Happening happening, Event event) {
        try {
            write(event);
        } catch (KubernetesClientException e) {
            log.atDebug()
                    .addKeyValue("policy", policy.ref().display())
                    .addKeyValue("reason", happening.reason())
                    .log("cannot write the event: {}", e.getMessage());
        }
    }

    private void write(Event event) {
        try {
            // Not as a resource: nobody needs to read the answer.
            client.raw("/api/v1/namespaces/" + event.getMetadata().getNamespace() + "/events", "POST", event);
        } catch (KubernetesClientException e) {
            if (!ApiWriter.isConflict(e)) {
                throw e;
            }
            var known = client.resource(event).get();
            if (known != null) {
                client.resource(new EventBuilder(known)
                                .withCount(Objects.requireNonNullElse(known.getCount(), 1) + 1)
                                .withLastTimestamp(event.getLastTimestamp())
                                .build())
                        .update();
            }
        }
    }

    private Event event(Policy policy, Happening happening) {
        var metadata = policy.getMetadata();
        var namespace = Objects.requireNonNullElse(metadata.getNamespace(), CLUSTER_WIDE);
        var message = happening.message().length() <= LONGEST_MESSAGE
                ? happening.message()
                : happening.message().substring(0, LONGEST_MESSAGE - 1) + "…";
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        return new EventBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name(metadata.getName(), metadata.getUid() + "/" + happening.reason() + "/" + message))
                .endMetadata()
                .withInvolvedObject(new ObjectReferenceBuilder()
                        .withApiVersion(policy.getApiVersion())
                        .withKind(policy.getKind())
                        .withName(metadata.getName())
                        .withNamespace(metadata.getNamespace())
                        .withUid(metadata.getUid())
                        .withResourceVersion(metadata.getResourceVersion())
                        .build())
                .withType(happening.isWarning() ? "Warning" : "Normal")
                .withReason(happening.reason())
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
        return policy.substring(0, Math.min(policy.length(), LONGEST_NAME)) + "." + hash;
    }

    /** What was recorded is written, if that does not take long. */
    @Override
    public void close() {
        writer.shutdown();
        try {
            if (!writer.awaitTermination(LAST_WORDS.toMillis(), TimeUnit.MILLISECONDS)) {
                writer.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
