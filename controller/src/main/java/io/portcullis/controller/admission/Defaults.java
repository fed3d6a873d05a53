package io.portcullis.controller.admission;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.api.validation.Defaulting;
import io.portcullis.api.validation.Validation;

/** What admission adds to objects: the finalizer of PolicyServers. Policies are left alone. */
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
        // The whole list: it may not have been there, and "add" replaces one that was.
        patch.addObject()
                .put("op", "add")
                .put("path", "/metadata/finalizers")
                .set("value", MAPPER.valueToTree(server.getMetadata().getFinalizers()));
        try {
            return new AdmissionVerdict(Validation.FINE, MAPPER.writeValueAsString(patch));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a tree can always be written", e);
        }
    }
}
