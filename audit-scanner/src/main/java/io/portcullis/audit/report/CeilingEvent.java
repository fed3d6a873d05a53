package io.portcullis.audit.report;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.audit.cluster.ApiException;
import io.portcullis.audit.cluster.KubernetesApi;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes an Event for the scanner's service account when reports are missing because of the report limit.
 *
 * @param namespace of the scanner
 */
public record CeilingEvent(KubernetesApi api, String namespace) {

    public static final String REASON = "ReportCeilingReached";

    private static final Logger log = LoggerFactory.getLogger(CeilingEvent.class);
    private static final String SCANNER = "audit-scanner";

    public void publish(long ceiling, long refused, Instant now) {
        try {
            api.create(
                    "/api/v1/namespaces/" + KubernetesApi.escape(namespace) + "/events", event(ceiling, refused, now));
        } catch (ApiException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("no event can be written");
        }
    }

    ObjectNode event(long ceiling, long refused, Instant now) {
        var time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        var event = JsonNodeFactory.instance.objectNode();
        event.put("apiVersion", "v1").put("kind", "Event");
        event.putObject("metadata").put("generateName", SCANNER + "-").put("namespace", namespace);
        event.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "ServiceAccount")
                .put("namespace", namespace)
                .put("name", SCANNER);
        event.put("type", "Warning").put("reason", REASON);
        event.put(
                "message",
                "there are " + ceiling + " reports, as many as --max-reports allows: " + refused
                        + " objects were audited and have none");
        event.putObject("source").put("component", SCANNER);
        event.put("firstTimestamp", time).put("lastTimestamp", time).put("count", 1);
        return event;
    }
}
