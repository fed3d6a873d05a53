package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Histogram;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;
import java.util.List;

/**
 * The metrics of evaluations. The first two have upstream's names and labels. {@code accepted} and {@code mutated} are the
 * policy's own verdict, before the mode and the mutation rule apply.
 */
final class EvaluationMetrics {

    private static final String[] LABELS = {
        "policy_name",
        "policy_mode",
        "resource_kind",
        "resource_request_operation",
        "accepted",
        "mutated",
        "request_origin",
        "resource_namespace",
        "error_code",
        "initialization_error"
    };

    /** Upstream's bounds, which start at 5 ms, and finer ones below. */
    private static final double[] MILLISECONDS = {
        0, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000
    };

    private final Family<Counter> evaluations;
    private final Family<Histogram> latency;
    private final Family<Counter> timeouts;
    private final Family<Counter> shed;
    private final Histogram queueWait;

    EvaluationMetrics(Metrics metrics) {
        evaluations = metrics.counter("kubewarden_policy_evaluations", "Number of policy evaluations.", LABELS);
        latency = metrics.histogram(
                new Description(
                        "kubewarden_policy_evaluation_latency",
                        "milliseconds",
                        "Latency of policy evaluations.",
                        List.of(LABELS)),
                MILLISECONDS);
        timeouts =
                metrics.counter("kubewarden_policy_timeouts", "Evaluations stopped at their deadline.", "policy_name");
        shed = metrics.counter("kubewarden_requests_shed", "Requests answered 503 without evaluation.", "policy_name");
        queueWait = metrics.histogram(
                        new Description(
                                "kubewarden_evaluation_queue_wait",
                                "milliseconds",
                                "Time from request to start of its evaluation.",
                                List.of()),
                        MILLISECONDS)
                .with();
    }

    void evaluated(
            Revision revision, RequestOrigin origin, EvaluationRequest request, PolicyVerdict verdict, long nanos) {
        var labels = labels(revision, origin, request, verdict.response());
        evaluations.with(labels).increment();
        latency.with(labels).record(nanos / 1e6);
        if (verdict instanceof PolicyVerdict.Failed(var cause, var _) && cause == EvaluationFailure.DEADLINE) {
            timeouts.with(revision.id()).increment();
        }
    }

    private static String[] labels(
            Revision revision, RequestOrigin origin, EvaluationRequest request, AdmissionResponse response) {
        var accepted = Boolean.toString(response.allowed());
        var mutated = Boolean.toString(response.patch().isPresent());
        var code = response.status()
                .flatMap(AdmissionResponse.Status::code)
                .map(Object::toString)
                .orElse("");
        var mode = revision.mode().wireName();
        return switch (request) {
            case EvaluationRequest.Admission admission ->
                new String[] {
                    revision.id(),
                    mode,
                    admission.requestKind().orElse(""),
                    admission.operation(),
                    accepted,
                    mutated,
                    origin.label(),
                    admission.namespace().orElse(""),
                    code,
                    ""
                };
            case EvaluationRequest.Raw _ ->
                new String[] {revision.id(), mode, "", "", accepted, mutated, "", "", code, ""};
        };
    }

    void broken(Revision revision, String error) {
        evaluations.with(revision.id(), "", "", "", "", "", "", "", "", error).increment();
    }

    void shed(Revision revision) {
        shed.with(revision.id()).increment();
    }

    void began(long waitedNanos) {
        queueWait.record(waitedNanos / 1e6);
    }
}
