package io.portcullis.audit.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

class ApiExceptionTest {

    private static final JsonMapper MAPPER = new JsonMapper();

    @Test
    void recognisesATerminatingNamespaceByTheCause() throws JsonProcessingException {
        var failure = failure("""
                {"kind":"Status","status":"Failure","message":"any text","reason":"Forbidden","details":{"causes":[\
                {"reason":"NamespaceTerminating","message":"namespace a is being terminated","field":"metadata.namespace"}]},\
                "code":403}""");

        assertThat(failure.isNamespaceTerminating()).isTrue();
        assertThat(failure).hasMessage("any text");
    }

    @Test
    void otherRejectionsAreNotTerminatingNamespaces() throws JsonProcessingException {
        assertThat(failure("{\"message\":\"a policy says: because it is being terminated\"}")
                        .isNamespaceTerminating())
                .isFalse();
        assertThat(failure("{\"details\":{\"causes\":[{\"reason\":\"FieldValueInvalid\"}]}}"))
                .hasMessage("fallback")
                .extracting(ApiException::isNamespaceTerminating)
                .isEqualTo(false);
    }

    private static ApiException failure(String status) throws JsonProcessingException {
        return ApiException.ofStatus(403, "fallback", MAPPER.readTree(status));
    }
}
