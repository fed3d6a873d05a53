package io.portcullis.audit.evaluation;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.Set;

/** What came back from a policy server. */
sealed interface PolicyServerAnswer {

    /** The policy has spoken. */
    record Judged(AuditVerdict.Result result, String message) implements PolicyServerAnswer {}

    /** This server does not know the policy, or not this generation of it. */
    record Unknown(String reason) implements PolicyServerAnswer {}

    /** It may go better in a moment, or with another replica. */
    record Transient(String reason) implements PolicyServerAnswer {}

    /** It will not go better. */
    record Broken(String reason) implements PolicyServerAnswer {}

    /** Gateways and servers that are starting, ending or overloaded. */
    Set<Integer> PASSING = Set.of(502, 503, 504);

    JsonMapper MAPPER = new JsonMapper();

    static PolicyServerAnswer read(int status, byte[] body) {
        if (status == 404) {
            return new Unknown(said(status, body));
        }
        if (PASSING.contains(status)) {
            return new Transient(said(status, body));
        }
        return status == 200 ? judgement(body) : new Broken(said(status, body));
    }

    private static PolicyServerAnswer judgement(byte[] body) {
        var response = tree(body).path("response");
        if (!response.path("allowed").isBoolean()) {
            return new Broken("the policy server answered something that is no AdmissionReview with a verdict");
        }
        var status = response.path("status");
        var message = status.path("message").asText("");
        if (status.path("code").asInt() == 500) {
            return new Judged(AuditVerdict.Result.ERROR, message);
        }
        return new Judged(
                response.path("allowed").booleanValue() ? AuditVerdict.Result.PASS : AuditVerdict.Result.FAIL, message);
    }

    private static String said(int status, byte[] body) {
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
