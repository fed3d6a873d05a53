package io.portcullis.server.http;

import io.helidon.webserver.http.ServerRequest;
import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.review.BadReviewException;
import io.portcullis.evaluator.review.ResponseWriter;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.process.cli.Durations;
import io.portcullis.process.http.HttpProblem;
import io.portcullis.process.http.RequestBodies;
import io.portcullis.server.evaluation.EvaluationResult;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.RequestOrigin;
import io.portcullis.wasm.Deadline;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers {@code /validate}, {@code /audit} and {@code /validate_raw}. Runs on the connection's virtual thread. */
final class EvaluationHandler {

    private static final Logger log = LoggerFactory.getLogger(EvaluationHandler.class);

    private final Evaluations evaluations;
    private final RequestBodies bodies;

    EvaluationHandler(Evaluations evaluations, RequestBodies bodies) {
        this.evaluations = evaluations;
        this.bodies = bodies;
    }

    /**
     * Evaluates a request. Checks content type, body, JSON structure, policy and worker in this order; the first failure
     * decides the answer.
     *
     * @throws HttpProblem for every answer other than 200
     */
    byte[] handle(ApiRoute.Evaluate route, ServerRequest request) throws IOException, InterruptedException {
        var deadline = deadline(request);
        try (var body = bodies.read(request)) {
            var evaluationRequest = parse(route.origin(), body.bytes());
            return answer(
                    route.origin(),
                    evaluationRequest,
                    evaluations.evaluate(route.address(), route.origin(), evaluationRequest, deadline));
        }
    }

    /** Sends the canned review of the server's own health check through the pool. */
    byte[] selfCheck(ServerRequest request) throws IOException, InterruptedException {
        try (var body = bodies.read(request)) {
            var evaluationRequest = parse(RequestOrigin.VALIDATE, body.bytes());
            return answer(RequestOrigin.VALIDATE, evaluationRequest, evaluations.checkPool(evaluationRequest));
        }
    }

    private static byte[] answer(RequestOrigin origin, EvaluationRequest evaluationRequest, EvaluationResult answer) {
        return switch (answer) {
            case EvaluationResult.Evaluated(var response) -> write(origin, evaluationRequest, response);
            case EvaluationResult.UnknownPolicy(var address) ->
                throw new HttpProblem(404, "unknown policy: " + address);
            case EvaluationResult.Overloaded(var message) ->
                throw new HttpProblem(503, "server overloaded: " + message);
        };
    }

    /** Writes the response. If that fails, rejects the request. */
    private static byte[] write(RequestOrigin origin, EvaluationRequest evaluationRequest, AdmissionResponse response) {
        try {
            return render(origin, response);
        } catch (RuntimeException | StackOverflowError e) {
            log.atError()
                    .setCause(e)
                    .addKeyValue("uid", evaluationRequest.uid())
                    .log("response not written; the request is rejected");
            return render(
                    origin,
                    AdmissionResponse.reject(
                            evaluationRequest.uid(),
                            AdmissionResponse.Status.error("internal error: the response cannot be written")));
        }
    }

    private static byte[] render(RequestOrigin origin, AdmissionResponse response) {
        return switch (origin) {
            case VALIDATE, AUDIT -> ResponseWriter.review(response);
            case VALIDATE_RAW -> ResponseWriter.raw(response);
        };
    }

    private static EvaluationRequest parse(RequestOrigin origin, byte[] body) {
        try {
            return switch (origin) {
                case VALIDATE, AUDIT -> Reviews.admission(body);
                case VALIDATE_RAW -> Reviews.raw(body);
            };
        } catch (BadReviewException e) {
            var status = switch (e.kind()) {
                case SYNTAX -> 400;
                case SHAPE -> 422;
            };
            throw new HttpProblem(status, String.valueOf(e.getMessage()));
        }
    }

    /** Parses the timeout of the API server, {@code ?timeout=10s}. Ignores an invalid value, as upstream does. */
    private static Deadline deadline(ServerRequest request) {
        if (!request.prologue().hasQuery()) {
            return Deadline.NONE;
        }
        var timeout = request.query().first("timeout");
        if (timeout.isEmpty()) {
            return Deadline.NONE;
        }
        try {
            return Deadline.after(Durations.parse(timeout.get()));
        } catch (IllegalArgumentException e) {
            return Deadline.NONE;
        }
    }
}
