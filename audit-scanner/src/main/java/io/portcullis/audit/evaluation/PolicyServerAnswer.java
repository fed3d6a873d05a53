package io.portcullis.audit.evaluation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Set;

/** Response of a policy server, classified. */
sealed interface PolicyServerAnswer {

    /** The policy returned a verdict. */
    record Evaluated(AuditVerdict.Result result, String message) implements PolicyServerAnswer {}

    /** The server does not know the policy or this generation of it. */
    record Unknown(String reason) implements PolicyServerAnswer {}

    /** A retry may succeed, possibly on another replica. */
    record Transient(String reason) implements PolicyServerAnswer {}

    /** A retry will not succeed. */
    record Permanent(String reason) implements PolicyServerAnswer {}

    /** Sent by gateways, and by servers that are starting, terminating or overloaded. */
    Set<Integer> TRANSIENT_STATUSES = Set.of(502, 503, 504);

    JsonMapper MAPPER = new JsonMapper();

    static PolicyServerAnswer read(int status, byte[] body) {
        if (status == 404) {
            return new Unknown(failureMessage(status, body));
        }
        if (TRANSIENT_STATUSES.contains(status)) {
            return new Transient(failureMessage(status, body));
        }
        return status == 200 ? evaluation(body) : new Permanent(failureMessage(status, body));
    }

    private static PolicyServerAnswer evaluation(byte[] body) {
        var response = tree(body).path("response");
        if (!response.path("allowed").isBoolean()) {
            return new Permanent("the policy server answered something that is no AdmissionReview with a verdict");
        }
        var status = response.path("status");
        var message = status.path("message").asText("");
        if (status.path("code").asInt() == 500) {
            return new Evaluated(AuditVerdict.Result.ERROR, message);
        }
        return new Evaluated(
                response.path("allowed").booleanValue() ? AuditVerdict.Result.PASS : AuditVerdict.Result.FAIL, message);
    }

    private static String failureMessage(int status, byte[] body) {
        var message = tree(body).path("message").asText("");
        return "the policy server answered " + status + (message.isEmpty() ? "" : ": " + message);
    }

    private static JsonNode tree(byte[] body) {
        try {
            return MAPPER.readTree(body);
        } catch (IOException e) {
            return MAPPER.missingNode();
        }
    }
}
