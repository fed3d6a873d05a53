package io.portcullis.audit.report;

import io.fabric8.kubernetes.api.model.ObjectReferenceBuilder;
import io.portcullis.process.kubernetes.EventWriter;

/**
 * The Event for the scanner's service account when reports are missing because of the report limit.
 *
 * @param namespace of the scanner
 */
public record CeilingEvent(EventWriter events, String namespace) {

    private static final String REASON = "ReportCeilingReached";

    private static final String SCANNER = "audit-scanner";

    public void write(long ceiling, long refused) {
        var account = new ObjectReferenceBuilder()
                .withApiVersion("v1")
                .withKind("ServiceAccount")
                .withNamespace(namespace)
                .withName(SCANNER)
                .build();
        events.write(
                () -> account,
                true,
                REASON,
                "there are " + ceiling + " reports, as many as --max-reports allows: " + refused
                        + " objects were audited and have none");
    }
}
