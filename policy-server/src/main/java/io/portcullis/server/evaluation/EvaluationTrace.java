package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Revision;

/** The span of one request, with upstream's names and fields. It contains neither objects nor settings. */
record EvaluationTrace(Tracing tracing, String host) {

    Tracing.Span start(Revision revision, RequestOrigin origin, EvaluationRequest request) {
        var span = tracing.start(origin.span());
        if (!span.isRecording()) {
            return span;
        }
        span.set("request_uid", request.uid()).set("host", host).set("policy_id", revision.id());
        return switch (request) {
            case EvaluationRequest.Admission admission ->
                span.set("name", admission.name().orElse(""))
                        .set("namespace", admission.namespace().orElse(""))
                        .set("operation", admission.operation())
                        .set("subresource", admission.subResource().orElse(""))
                        .set("kind_group", admission.kind().group())
                        .set("kind_version", admission.kind().version())
                        .set("kind", admission.kind().name())
                        .set("resource_group", admission.resource().group())
                        .set("resource_version", admission.resource().version())
                        .set("resource", admission.resource().name());
            case EvaluationRequest.Raw _ -> span;
        };
    }

    static void finish(Tracing.Span span, AdmissionResponse response) {
        if (!span.isRecording()) {
            return;
        }
        span.set("allowed", Boolean.toString(response.allowed()));
        span.set("mutated", Boolean.toString(response.patch().isPresent()));
        response.status().ifPresent(status -> {
            status.code().ifPresent(code -> span.set("response_code", code.toString()));
            status.message().ifPresent(message -> span.set("response_message", message));
        });
    }
}
