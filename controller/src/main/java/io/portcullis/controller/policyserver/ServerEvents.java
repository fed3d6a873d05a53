package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.lifecycle.TransitionEvents.Happening;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policyserver.PolicyServer;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes Events about PolicyServers. The same happening again counts up one Event. Losing one is no failure. */
final class ServerEvents {

    private static final Logger log = LoggerFactory.getLogger(ServerEvents.class);

    /** Where Events about objects without namespace live. */
    private static final String NAMESPACE = "default";

    private static final int HASH_BYTES = 6;

    private static final int REMEMBERED = 500;

    private final KubernetesClient client;
    private final Clock clock;
    /** Guarded by itself. */
    private final LinkedHashMap<String, Told> told = new LinkedHashMap<>();

    private record Told(String first, String last, int count) {}

    ServerEvents(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    void tell(PolicyServer server, Happening happening) {
        var name = server.getMetadata().getName() + "."
                + HexFormat.of()
                        .formatHex(
                                CanonicalJson.sha256(
                                        server.getMetadata().getUid() + happening.reason() + happening.message()),
                                0,
                                HASH_BYTES);
        try {
            client.resource(event(server, happening, name, told(name)))
                    .fieldManager(ServerNames.FIELD_MANAGER)
                    .forceConflicts()
                    .serverSideApply();
        } catch (KubernetesClientException e) {
            log.atWarn()
                    .addKeyValue("policy_server", server.getMetadata().getName())
                    .log("cannot write the Event {}: {}", happening.reason(), e.getMessage());
        }
    }

    /** How often it has been told by us; reading Events is not among our permissions. */
    private Told told(String name) {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        synchronized (told) {
            var before = told.remove(name);
            var next = before == null ? new Told(now, now, 1) : new Told(before.first(), now, before.count() + 1);
            told.putLast(name, next);
            if (told.size() > REMEMBERED) {
                told.pollFirstEntry();
            }
            return next;
        }
    }

    private static Event event(PolicyServer server, Happening happening, String name, Told told) {
        return new EventBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .withType(happening.isWarning() ? "Warning" : "Normal")
                .withReason(happening.reason())
                .withMessage(happening.message())
                .withCount(told.count())
                .withFirstTimestamp(told.first())
                .withLastTimestamp(told.last())
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
