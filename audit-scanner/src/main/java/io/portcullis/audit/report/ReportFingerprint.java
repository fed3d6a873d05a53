package io.portcullis.audit.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.json.CanonicalJson;
import java.nio.ByteBuffer;

/**
 * What a report says, in eight bytes: all of it but when and by which run it was said. A report whose fingerprint has not
 * changed is not written again, which spares etcd most of a run's writes.
 */
final class ReportFingerprint {

    /** The policy's, which changes whenever a controller writes its status. */
    private static final String MOVES_WITH_STATUS = "policy-resource-version";

    private ReportFingerprint() {}

    static long of(JsonNode report) {
        var said = JsonNodeFactory.instance.objectNode();
        said.set("owners", report.path("metadata").path("ownerReferences"));
        said.set("scope", report.path("scope"));
        said.set("summary", report.path("summary"));
        var results = said.putArray("results");
        for (var result : report.path("results")) {
            var copy = result.deepCopy();
            if (copy instanceof ObjectNode object) {
                object.remove("timestamp");
                if (object.path("properties") instanceof ObjectNode properties) {
                    properties.remove(MOVES_WITH_STATUS);
                }
            }
            results.add(copy);
        }
        return ByteBuffer.wrap(CanonicalJson.sha256(CanonicalJson.text(said))).getLong();
    }
}
