package io.portcullis.server.cluster;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.ObjectReference;
import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.server.settings.ClusterSettings.Identity;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes Kubernetes events on the PolicyServer. Nothing depends on them: an event that cannot be written is lost. The same
 * event is written at most once in ten minutes. Thread-safe.
 */
public final class ReplicaEvents {

    private static final Logger log = LoggerFactory.getLogger(ReplicaEvents.class);
    private static final Duration MIN_INTERVAL = Duration.ofMinutes(10);
    private static final int MAX_CACHED = 1000;
    /** Kubernetes stores events of cluster-scoped objects in this namespace. */
    private static final String NAMESPACE = "default";

    private final KubernetesClient client;
    private final Identity identity;
    private final Clock clock;
    private final Map<String, Instant> lastWritten = new ConcurrentHashMap<>();

    ReplicaEvents(KubernetesClient client, Identity identity, Clock clock) {
        this.client = client;
        this.identity = identity;
        this.clock = clock;
    }

    void leaderElected(long term) {
        write("Normal", "LeaderElected", identity.podName() + " leads in term " + term);
    }

    void cacheTampered(String file, String why) {
        write("Warning", "CacheTampered", "The cached file " + file + " was deleted: " + why);
    }

    private void write(String type, String reason, String message) {
        var now = clock.instant();
        var before = lastWritten.put(reason + message, now);
        if (before != null && before.plus(MIN_INTERVAL).isAfter(now)) {
            return;
        }
        if (lastWritten.size() > MAX_CACHED) {
            lastWritten.clear();
        }
        Thread.ofVirtual().name("event").start(() -> send(type, reason, message, now));
    }

    private void send(String type, String reason, String message, Instant now) {
        var time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        try {
            client.v1()
                    .events()
                    .inNamespace(NAMESPACE)
                    .resource(new EventBuilder()
                            .withNewMetadata()
                            .withGenerateName("policy-server-" + identity.policyServer() + ".")
                            .withNamespace(NAMESPACE)
                            .endMetadata()
                            .withInvolvedObject(server())
                            .withType(type)
                            .withReason(reason)
                            .withMessage(message)
                            .withFirstTimestamp(time)
                            .withLastTimestamp(time)
                            .withCount(1)
                            .withNewSource()
                            .withComponent("policy-server")
                            .withHost(identity.podName())
                            .endSource()
                            .build())
                    .create();
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("reason", reason)
                    .addKeyValue("error", e.getMessage())
                    .log("event not written");
        }
    }

    private ObjectReference server() {
        var server = client.resources(PolicyServer.class)
                .withName(identity.policyServer())
                .get();
        return new ObjectReferenceBuilder()
                .withApiVersion(PolicyKind.GROUP + "/" + PolicyKind.VERSION)
                .withKind("PolicyServer")
                .withName(identity.policyServer())
                .withUid(server == null ? null : server.getMetadata().getUid())
                .build();
    }
}
