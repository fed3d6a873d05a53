package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.api.policyserver.PolicyServer;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Records rotated certificates as Events. A failed write of an Event has no other effect. */
record CertificateEvents(KubernetesClient client, Clock clock) {

    /** The namespace of Events about objects without namespace. */
    private static final String NAMESPACE = "default";

    private static final String COMPONENT = "kubewarden-controller";
    private static final Logger log = LoggerFactory.getLogger(CertificateEvents.class);

    void rotated(PolicyServer server, String secret, String reason) {
        var now = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        try {
            client.resource(new EventBuilder()
                            .withNewMetadata()
                            .withGenerateName(server.getMetadata().getName() + ".")
                            .withNamespace(NAMESPACE)
                            .endMetadata()
                            .withType("Normal")
                            .withReason("CertificateRotated")
                            .withMessage("replaced the certificate in Secret " + secret + ": the old one " + reason)
                            .withFirstTimestamp(now)
                            .withLastTimestamp(now)
                            .withCount(1)
                            .withNewInvolvedObject()
                            .withApiVersion(server.getApiVersion())
                            .withKind(server.getKind())
                            .withName(server.getMetadata().getName())
                            .withUid(server.getMetadata().getUid())
                            .endInvolvedObject()
                            .withNewSource()
                            .withComponent(COMPONENT)
                            .endSource()
                            .build())
                    .create();
        } catch (KubernetesClientException e) {
            log.atWarn().addKeyValue("error", e.getMessage()).log("cannot write an Event");
        }
    }
}
