package io.portcullis.audit.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests how the scanner classifies valid and invalid responses of policy servers. */
class PolicyServerAnswerTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | {'response': {'allowed': true}}                                          | Evaluated[result=PASS, message=]",
                "200 | {'response': {'allowed': false, 'status': {'message': 'no', 'code': 400}}} | Evaluated[result=FAIL, message=no]",
                "200 | {'response': {'allowed': false, 'status': {'message': 'trap', 'code': 500}}} | Evaluated[result=ERROR, message=trap]",
                "200 | {'response': {}}      | Permanent[reason=the policy server answered something that is no AdmissionReview with a verdict]",
                "200 | {}                    | Permanent[reason=the policy server answered something that is no AdmissionReview with a verdict]",
                "200 | <html>                | Permanent[reason=the policy server answered something that is no AdmissionReview with a verdict]",
                "200 | ''                    | Permanent[reason=the policy server answered something that is no AdmissionReview with a verdict]",
                "404 | {'message': 'unknown policy: p', 'status': 404} | Unknown[reason=the policy server answered 404: unknown policy: p]",
                "500 | {'message': 'oops'}   | Permanent[reason=the policy server answered 500: oops]",
                "502 | <html>                | Transient[reason=the policy server answered 502]",
                "503 | {'message': 'busy'}   | Transient[reason=the policy server answered 503: busy]",
                "422 | {'message': 'shape'}  | Permanent[reason=the policy server answered 422: shape]",
            })
    void classifiesResponses(int status, String body, String expected) {
        assertThat(PolicyServerAnswer.read(status, body.replace('\'', '"').getBytes(StandardCharsets.UTF_8)))
                .hasToString(expected);
    }

    @Test
    void doublesTheDelayWithTwentyPercentJitter() {
        assertThat(new EvaluationBackoff(Duration.ofMillis(200), () -> 0.5).before(1))
                .isEqualTo(Duration.ofMillis(200));
        assertThat(new EvaluationBackoff(Duration.ofMillis(200), () -> 0.5).before(6))
                .isEqualTo(Duration.ofMillis(6400));
        assertThat(new EvaluationBackoff(Duration.ofMillis(200), () -> 0).before(2))
                .isEqualTo(Duration.ofMillis(320));
        assertThat(new EvaluationBackoff(Duration.ofMillis(200), () -> 1).before(2))
                .isEqualTo(Duration.ofMillis(480));
    }

    @Test
    void timesOutAfterAnOutageAndResetsAfterASuccess() {
        var now = new AtomicLong();
        var retryTimeout = new RetryTimeout(Duration.ofSeconds(20), now::get);

        assertThat(retryTimeout.failed()).isFalse();
        now.addAndGet(Duration.ofSeconds(19).toNanos());
        assertThat(retryTimeout.failed()).isFalse();
        retryTimeout.succeeded();
        now.addAndGet(Duration.ofSeconds(5).toNanos());
        assertThat(retryTimeout.failed()).isFalse();
        now.addAndGet(Duration.ofSeconds(21).toNanos());
        assertThat(retryTimeout.failed()).isTrue();
    }
}
