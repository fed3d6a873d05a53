package io.portcullis.server.http;

import io.helidon.webserver.http.ServerRequest;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.review.BadReviewException;
import io.portcullis.evaluator.review.ResponseWriter;
import io.portcullis.evaluator.review.Reviews;
import io.portcullis.process.cli.Durations;
import io.portcullis.process.http.HttpProblem;
import io.portcullis.process.http.RequestBody;
import io.portcullis.server.evaluation.Answer;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.Origin;
import io.portcullis.wasm.Deadline;
import java.io.IOException;

/** Answers {@code /validate}, {@code /audit} and {@code /validate_raw}. Runs on the connection's virtual thread. */
final class EvaluationHandler {

    private final Evaluations evaluations;
    private final long maxBodyBytes;

    EvaluationHandler(Evaluations evaluations, long maxBodyBytes) {
        this.evaluations = evaluations;
        this.maxBodyBytes = maxBodyBytes;
    }

    /**
     * Content type, body, shape, policy, worker: the first that is wrong decides.
     *
     * @throws HttpProblem for every answer but 200
     */
    byte[] handle(ApiRoute.Evaluate route, ServerRequest request) throws IOException, InterruptedException {
        var deadline = deadline(request);
        var asked = parse(route.origin(), RequestBody.read(request, maxBodyBytes));
        return switch (evaluations.judge(route.address(), route.origin(), asked, deadline)) {
            case Answer.Judged(var response) ->
                switch (route.origin()) {
                    case VALIDATE, AUDIT -> ResponseWriter.review(response);
                    case VALIDATE_RAW -> ResponseWriter.raw(response);
                };
            case Answer.UnknownPolicy(var address) -> throw new HttpProblem(404, "unknown policy: " + address);
            case Answer.Overloaded(var message) -> throw new HttpProblem(503, "server overloaded: " + message);
        };
    }

    private static EvaluationRequest parse(Origin origin, byte[] body) {
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

    /** The API server says how long it will wait, {@code ?timeout=10s}. What cannot be read is ignored, as upstream does. */
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
