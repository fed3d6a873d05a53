package io.portcullis.evaluator.rego;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.rego.builtin.registry.Builtins;
import io.portcullis.evaluator.runtime.GuestOutcome;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests section 3.4: every result that cannot be interpreted rejects. */
class RegoResultsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "[{}]",
                "[{'result':{}}]",
                "[{'result':'x'}]",
                "[{'result':null}]",
                "[{'result':['x']}]",
                "[{'result':[{'msg':5}]}]",
                "[{'result':[{'msg':['a']}]}]",
                "nonsense",
                "",
            })
    void rejectsGatekeeperResultsOfAnotherShape(String result) {
        assertThat(GatekeeperResult.interpret(bytes(result)))
                .isEqualTo(new GuestOutcome.Failed(
                        EvaluationFailure.INVALID_ANSWER,
                        "internal server error: cannot interpret Gatekeeper policy result"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[{'result':[]}]                                     | true  |",
                "[{'result':[{'msg':'a'}]}]                          | false | a",
                "[{'result':[{'msg':'a'},{'x':1},{'msg':'b'}]}]      | false | a, b",
                "[{'result':[{}]}]                                   | false | ''",
                "[{'result':[{'msg':null,'details':{'msg':1}}]}]     | false | ''",
            })
    void joinsGatekeeperViolations(String result, boolean allowed, String message) {
        var outcome = (GuestOutcome.AnsweredReview) GatekeeperResult.interpret(bytes(result));

        assertThat(outcome.response().allowed()).isEqualTo(allowed);
        assertThat(outcome.response().status().flatMap(Status::message).orElse(null))
                .isEqualTo(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "[{}]", "[{'result':{}}]", "[{'result':true}]", "{}"})
    void rejectsOpaResultsWithoutAResponse(String result) {
        assertThat(OpaResult.interpret(bytes(result)))
                .isEqualTo(new GuestOutcome.Failed(
                        EvaluationFailure.INVALID_ANSWER, "internal server error: cannot interpret OPA policy result"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'uid':'u'}",
                "{'allowed':'yes'}",
                "{'allowed':true,'uid':5}",
                "{'allowed':true,'patchType':'Merge'}",
                "{'allowed':true,'patch':'%%%'}",
                "{'allowed':true,'patch':'e30='}",
                "{'allowed':false,'status':'x'}",
                "{'allowed':false,'status':{'code':70000}}",
                "{'allowed':false,'status':{'code':'1'}}",
                "{'allowed':false,'status':{'status':'Maybe'}}",
                "{'allowed':true,'warnings':[1]}",
                "{'allowed':true,'auditAnnotations':{'a':1}}",
            })
    void rejectsOpaResponsesOfAnotherShape(String response) {
        assertThat(OpaResult.interpret(bytes("[{'result':{'response':" + response + "}}]")))
                .isInstanceOf(GuestOutcome.Failed.class);
    }

    @Test
    void acceptsOpaResponsesWithoutUid() {
        assertThat(OpaResult.interpret(bytes("[{'result':{'response':{'allowed':true}}}]")))
                .isEqualTo(new GuestOutcome.AnsweredReview(AdmissionResponse.allow("")));
    }

    @Test
    void checksAndKeepsOpaPatches() {
        var patch = "[{\"op\":\"remove\",\"path\":\"/a\"}]";
        var base64 = Base64.getEncoder().encodeToString(patch.getBytes(StandardCharsets.UTF_8));

        var outcome = (GuestOutcome.AnsweredReview) OpaResult.interpret(
                bytes("[{'result':{'response':{'allowed':true,'patchType':'JSONPatch','patch':'" + base64 + "'}}}]"));

        assertThat(outcome.response().patch())
                .hasValueSatisfying(bytes ->
                        assertThat(bytes).asString(StandardCharsets.UTF_8).isEqualTo(patch));
    }

    @Test
    void reportsBuiltinsWithSideEffectsAsMissing() {
        assertThat(Builtins.missing(List.of("sprintf", "opa.runtime", "http.send", "net.lookup_ip_addr")))
                .containsExactly("http.send", "net.lookup_ip_addr", "opa.runtime");
    }

    private static byte[] bytes(String json) {
        return json.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    }
}
