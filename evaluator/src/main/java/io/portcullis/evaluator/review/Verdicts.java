package io.portcullis.evaluator.review;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ValidationResponse;
import java.util.Optional;

/** Turns the outcome of a guest into a verdict on the request. Pure. */
public final class Verdicts {

    public static final String TIMED_OUT =
            "Policy execution interrupted because it exceeded the allowed execution time";

    private static final String NO_OBJECT_TO_MUTATE =
            "Incoming object is null, which happens only with DELETE operations, but the policy is attempting a mutation. This is not allowed";

    private Verdicts() {}

    public static PolicyVerdict of(GuestOutcome outcome, EvaluationRequest request) {
        return switch (outcome) {
            case GuestOutcome.Answered(var response) -> answered(response, request);
            case GuestOutcome.AnsweredReview(var response) ->
                new PolicyVerdict.Decided(withUid(response, request.uid()));
            case GuestOutcome.TimedOut() -> failed(EvaluationFailure.DEADLINE, TIMED_OUT, request);
            case GuestOutcome.Failed(var cause, var message) -> failed(cause, message, request);
        };
    }

    /** Turns a guest's answer into a verdict. A mutation that cannot become a patch rejects the request. */
    private static PolicyVerdict answered(ValidationResponse response, EvaluationRequest request) {
        try {
            return new PolicyVerdict.Decided(decided(response, request));
        } catch (JsonException e) {
            return failed(
                    EvaluationFailure.INVALID_ANSWER,
                    "internal server error: cannot compare the mutated object with the request: " + e.problem(),
                    request);
        } catch (JsonPatch.TooLargeException e) {
            return failed(EvaluationFailure.INVALID_ANSWER, "internal server error: " + e.getMessage(), request);
        }
    }

    private static PolicyVerdict failed(EvaluationFailure cause, String message, EvaluationRequest request) {
        return new PolicyVerdict.Failed(cause, AdmissionResponse.reject(request.uid(), Status.error(message)));
    }

    private static AdmissionResponse decided(ValidationResponse response, EvaluationRequest request) {
        Optional<byte[]> patch = Optional.empty();
        if (response.mutatedObject().isPresent()) {
            var before = mutable(request);
            if (before.isEmpty()) {
                return AdmissionResponse.reject(request.uid(), Status.message(NO_OBJECT_TO_MUTATE));
            }
            patch = JsonPatch.between(
                    before.get(), JsonTree.parse(response.mutatedObject().get()));
        }
        return new AdmissionResponse(
                request.uid(),
                response.accepted(),
                patch,
                status(response),
                response.auditAnnotations(),
                response.warnings());
    }

    private static Optional<Status> status(ValidationResponse response) {
        if (response.message().isEmpty() && response.code().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(
                new Status(Optional.empty(), response.message(), Optional.empty(), Optional.empty(), response.code()));
    }

    /** Returns the document that a mutation changes: the object, or the whole raw request. */
    private static Optional<JsonNode> mutable(EvaluationRequest request) {
        var document = JsonTree.parse(request.json());
        return switch (request) {
            case EvaluationRequest.Admission _ -> Optional.ofNullable(document.get("object"));
            case EvaluationRequest.Raw _ -> Optional.of(document);
        };
    }

    private static AdmissionResponse withUid(AdmissionResponse response, String uid) {
        return new AdmissionResponse(
                uid,
                response.allowed(),
                response.patch(),
                response.status(),
                response.auditAnnotations(),
                response.warnings());
    }
}
