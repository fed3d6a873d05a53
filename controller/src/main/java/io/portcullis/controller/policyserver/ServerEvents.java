package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.core.lifecycle.TransitionEvents.EventDraft;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes Events about PolicyServers. A repeated event increases the count of one Event. A lost Event is no failure. */
final class ServerEvents {

    private static final Logger log = LoggerFactory.getLogger(ServerEvents.class);

    /** The namespace of Events about objects without namespace. */
    private static final String NAMESPACE = "default";

    private static final int HASH_BYTES = 6;

    private static final int MAX_CACHED_EVENTS = 500;

    private final KubernetesClient client;
    private final Clock clock;
    /** Guarded by itself. */
    private final LinkedHashMap<String, Occurrence> occurrences = new LinkedHashMap<>();

    private record Occurrence(String first, String last, int count) {}

    ServerEvents(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    void write(PolicyServer server, EventDraft draft) {
        var name = server.getMetadata().getName() + "."
                + HexFormat.of()
                        .formatHex(
                                CanonicalJson.sha256(server.getMetadata().getUid() + draft.reason() + draft.message()),
                                0,
                                HASH_BYTES);
        try {
            client.resource(event(server, draft, name, countOccurrence(name)))
                    .fieldManager(ServerNames.FIELD_MANAGER)
                    .forceConflicts()
                    .serverSideApply();
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("policy_server", server.getMetadata().getName())
                    .log("cannot write the Event {}: {}", draft.reason(), e.getMessage());
        }
    }

    /** Counts how often this process wrote the Event, without reading Events from the API server. */
    private Occurrence countOccurrence(String name) {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        synchronized (occurrences) {
            var before = occurrences.remove(name);
            var next = before == null
                    ? new Occurrence(now, now, 1)
                    : new Occurrence(before.first(), now, before.count() + 1);
            occurrences.putLast(name, next);
            if (occurrences.size() > MAX_CACHED_EVENTS) {
                occurrences.pollFirstEntry();
            }
            return next;
        }
    }

    private static Event event(PolicyServer server, EventDraft draft, String name, Occurrence occurrence) {
        return new EventBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withType(draft.isWarning() ? "Warning" : "Normal")
                .withReason(draft.reason())
                .withMessage(draft.message())
                .withCount(occurrence.count())
                .withFirstTimestamp(occurrence.first())
                .withLastTimestamp(occurrence.last())
                .withNewSource()
                .withComponent(ServerNames.FIELD_MANAGER)
                .endSource()
                .withReportingComponent(ServerNames.FIELD_MANAGER)
                .withReportingInstance(ServerNames.FIELD_MANAGER)
                .withNewInvolvedObject()
                .withApiVersion(PolicyKind.GROUP + "/" + PolicyKind.VERSION)
                .withKind(ServerSpec.KIND)
                .withName(server.getMetadata().getName())
                .withUid(server.getMetadata().getUid())
                .endInvolvedObject()
                .build();
    }
}
