package io.portcullis.audit.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.CanonicalJson;
import java.nio.ByteBuffer;

/**
 * Computes an eight-byte fingerprint of a report without its timestamps and run UID. A report with an unchanged
 * fingerprint is not written again, which saves most etcd writes of a run.
 */
final class ReportFingerprint {

    /** Changes whenever a controller writes the policy's status. */
    private static final String RESOURCE_VERSION = "policy-resource-version";

    private ReportFingerprint() {}

    static long of(JsonNode report) {
        var content = JsonNodeFactory.instance.objectNode();
        content.set("owners", report.path("metadata").path("ownerReferences"));
        content.set("scope", report.path("scope"));
        content.set("summary", report.path("summary"));
        var results = content.putArray("results");
        for (var result : report.path("results")) {
            var copy = result.deepCopy();
            if (copy instanceof ObjectNode object) {
                object.remove("timestamp");
                if (object.path("properties") instanceof ObjectNode properties) {
                    properties.remove(RESOURCE_VERSION);
                }
            }
            results.add(copy);
        }
        return ByteBuffer.wrap(CanonicalJson.sha256(CanonicalJson.text(content)))
                .getLong();
    }
}
