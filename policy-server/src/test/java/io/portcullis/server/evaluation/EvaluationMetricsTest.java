package io.portcullis.server.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.review.Verdicts;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EvaluationMetricsTest {

    private static final EvaluationRequest REQUEST = new EvaluationRequest.Raw("u", new byte[] {'{', '}'});

    @ParameterizedTest
    @EnumSource
    void countsOnlyFailuresAtTheDeadlineAsTimeouts(EvaluationFailure cause) {
        var verdict = new PolicyVerdict.Failed(cause, AdmissionResponse.reject("u", Status.error("any text")));

        assertThat(rendered(verdict).contains("kubewarden_policy_timeouts_total{policy_name=\"p\"} 1"))
                .isEqualTo(cause == EvaluationFailure.DEADLINE);
    }

    @Test
    void doesNotCountARejectionThatOnlyLooksLikeATimeout() {
        var verdict = new PolicyVerdict.Decided(AdmissionResponse.reject("u", Status.error(Verdicts.TIMED_OUT)));

        assertThat(rendered(verdict))
                .contains("kubewarden_policy_evaluations_total{policy_name=\"p\"")
                .doesNotContain("kubewarden_policy_timeouts_total{");
    }

    private static String rendered(PolicyVerdict verdict) {
        var metrics = new Metrics();
        new EvaluationMetrics(metrics)
                .evaluated(new Revision("p", 1, PolicyMode.PROTECT), RequestOrigin.VALIDATE, REQUEST, verdict, 1);
        return PrometheusText.render(metrics);
    }
}
