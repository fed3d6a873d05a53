package io.portcullis.controller.admission.rules;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.admission.AdmissionVerdict;
import io.portcullis.controller.admission.ResourceReview;
import io.portcullis.core.validation.Defaulting;
import io.portcullis.core.validation.Validation;

/** Sets defaults at admission: the finalizer of PolicyServers. Policies are not changed. */
final class Defaults {

    private static final JsonMapper MAPPER = new JsonMapper();

    private Defaults() {}

    static AdmissionVerdict ofPolicyServer(ResourceReview review) {
        if (review.object().isEmpty()) {
            return AdmissionVerdict.FINE;
        }
        var server = ResourceReview.as(review.object(), PolicyServer.class);
        if (!Defaulting.apply(server)) {
            return AdmissionVerdict.FINE;
        }
        var patch = JsonNodeFactory.instance.arrayNode();
        // Writes the whole list: it may not exist yet, and "add" replaces an existing one.
        patch.addObject()
                .put("op", "add")
                .put("path", "/metadata/finalizers")
                .set("value", MAPPER.valueToTree(server.getMetadata().getFinalizers()));
        try {
            return new AdmissionVerdict(Validation.FINE, MAPPER.writeValueAsString(patch));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("cannot serialize the patch", e);
        }
    }
}
