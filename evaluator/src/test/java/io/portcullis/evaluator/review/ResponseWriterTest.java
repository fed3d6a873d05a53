package io.portcullis.evaluator.review;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Cause;
import io.portcullis.evaluator.AdmissionResponse.Details;
import io.portcullis.evaluator.AdmissionResponse.Status;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResponseWriterTest {

    @Test
    void writesTheSameNullsAsKubewarden() {
        assertThat(ResponseWriter.review(AdmissionResponse.allow("u1")))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo("{\"kind\":\"AdmissionReview\",\"apiVersion\":\"admission.k8s.io/v1\",\"response\":"
                        + "{\"uid\":\"u1\",\"allowed\":true,\"auditAnnotations\":null,\"warnings\":null}}");
    }

    @Test
    void omitsTheEnvelopeForRawResponses() {
        assertThat(ResponseWriter.raw(AdmissionResponse.reject("", Status.error("broken \"x\""))))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(
                        "{\"response\":{\"uid\":\"\",\"allowed\":false,"
                                + "\"status\":{\"message\":\"broken \\\"x\\\"\",\"code\":500},\"auditAnnotations\":null,\"warnings\":null}}");
    }

    @Test
    void writesAllFieldsInTheOrderOfKubewarden() {
        var full = new AdmissionResponse(
                "u",
                true,
                Optional.of("[]".getBytes(StandardCharsets.UTF_8)),
                Optional.of(new Status(
                        Optional.of("Failure"),
                        Optional.of("m"),
                        Optional.of("Forbidden"),
                        Optional.of(new Details(
                                Optional.of("n"),
                                Optional.of("g"),
                                Optional.of("k"),
                                Optional.of("i"),
                                List.of(new Cause("r", null, "f")),
                                Optional.of(3))),
                        Optional.of(403))),
                Map.of("a", "b"),
                List.of("w1", "w2"));

        assertThat(ResponseWriter.raw(full))
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(
                        "{\"response\":{\"uid\":\"u\",\"allowed\":true,\"patchType\":\"JSONPatch\",\"patch\":\"W10=\","
                                + "\"status\":{\"status\":\"Failure\",\"message\":\"m\",\"reason\":\"Forbidden\",\"details\":{\"name\":\"n\","
                                + "\"group\":\"g\",\"kind\":\"k\",\"uid\":\"i\",\"causes\":[{\"reason\":\"r\",\"message\":null,\"field\":\"f\"}],"
                                + "\"retryAfterSeconds\":3},\"code\":403},\"auditAnnotations\":{\"a\":\"b\"},\"warnings\":[\"w1\",\"w2\"]}}");
    }

    @Test
    void omitsEmptyCauses() {
        var response = AdmissionResponse.reject(
                "u",
                new Status(
                        Optional.empty(),
                        Optional.of("m"),
                        Optional.empty(),
                        Optional.of(Details.causes(List.of())),
                        Optional.empty()));

        assertThat(ResponseWriter.raw(response))
                .asString(StandardCharsets.UTF_8)
                .contains("\"details\":{}");
    }
}
