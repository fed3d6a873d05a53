package io.portcullis.controller.admission.http;

import io.helidon.http.Header;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Method;
import io.helidon.webserver.http.Handler;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.portcullis.controller.admission.Admission;
import io.portcullis.controller.admission.AdmissionVerdict;
import io.portcullis.controller.admission.ResourceReview;
import io.portcullis.controller.admission.rules.Admissions;
import io.portcullis.process.cli.Durations;
import io.portcullis.process.http.Answers;
import io.portcullis.process.http.ExceptionAnswers;
import io.portcullis.process.http.HttpProblem;
import io.portcullis.process.http.RequestBodies;
import io.portcullis.process.metrics.Counter;
import io.portcullis.process.metrics.Family;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.signals.LastRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers AdmissionReviews. Every failure is an error status, which the API server treats as a rejection. */
final class AdmissionHandler implements Handler {

    /** The API server accepts objects of 3 MiB; a review of an update contains two. */
    private static final long MAX_BODY_BYTES = 8 << 20;

    /** For all concurrent requests together; the heap is 160 MiB. */
    private static final long MAX_TOTAL_BODY_BYTES = 32 << 20;

    private static final Duration MAX_TIMEOUT = Duration.ofSeconds(10);
    /** Reserved for sending the answer. */
    private static final Duration MARGIN = Duration.ofMillis(500);

    private static final Header ALLOW_POST = HeaderValues.createCached(HeaderNames.ALLOW, "POST");
    private static final Logger log = LoggerFactory.getLogger(AdmissionHandler.class);
    private static final ExceptionAnswers EXCEPTIONS =
            new ExceptionAnswers(log, "a review failed", "the controller is shutting down", "something went wrong");

    private final Admissions admissions;
    private final RequestBodies bodies;
    private final Family<Counter> reviews;
    private final LastRequest lastRequest = new LastRequest();

    AdmissionHandler(Admissions admissions, Metrics metrics) {
        this.admissions = admissions;
        this.bodies = new RequestBodies(MAX_BODY_BYTES, MAX_TOTAL_BODY_BYTES, metrics);
        this.reviews = metrics.counter(
                "kubewarden_controller_admission_reviews", "Reviews of our own resources", "path", "status");
    }

    @Override
    public void handle(ServerRequest request, ServerResponse response) {
        lastRequest.record();
        var path = request.prologue().uriPath().rawPathNoParams();
        EXCEPTIONS.run(path, request, response, () -> answer(path, request, response));
        if (admissions.route(path).isPresent()) {
            reviews.with(path, Integer.toString(response.status().code())).increment();
        }
        Answers.closeIfRequested(request, response);
    }

    /** How long ago the last request arrived. */
    Duration sinceLastRequest() {
        return lastRequest.age();
    }

    private void answer(String path, ServerRequest request, ServerResponse response)
            throws IOException, InterruptedException {
        var route = admissions.route(path).orElseThrow(() -> new HttpProblem(404, "nothing is served here"));
        if (!request.prologue().method().equals(Method.POST)) {
            response.header(ALLOW_POST);
            Answers.status(request, response, 405);
            return;
        }
        var limit = limit(request);
        try (var body = bodies.read(request)) {
            answer(route, ResourceReview.read(body.bytes()), limit, response);
        }
    }

    private static void answer(Admissions.Route route, ResourceReview review, Duration limit, ServerResponse response)
            throws InterruptedException {
        var verdict = within(limit, route.admission(), review);
        if (!verdict.validation().isAdmitted()) {
            log.atInfo()
                    .addKeyValue("kind", route.kind())
                    .addKeyValue("name", review.name())
                    .addKeyValue(
                            "fields",
                            verdict.validation().errors().stream()
                                    .map(error -> error.path())
                                    .toList())
                    .log("refused");
        }
        response.header(Answers.JSON).send(verdict.answer(review, route.kind()));
    }

    /** Runs on a separate thread, because its API calls may hang. */
    private static AdmissionVerdict within(Duration limit, Admission admission, ResourceReview review)
            throws InterruptedException {
        var verdict = new CompletableFuture<AdmissionVerdict>();
        var thread = Thread.ofVirtual().name("review-" + review.uid()).start(() -> {
            try {
                verdict.complete(admission.decide(review));
            } catch (RuntimeException | StackOverflowError e) {
                verdict.completeExceptionally(e);
            }
        });
        try {
            return verdict.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            thread.interrupt();
            throw new HttpProblem(504, "the API server did not answer in time, so the object cannot be validated");
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new IllegalStateException(e.getCause());
        }
    }

    /** The timeout that the API server sends, {@code ?timeout=10s}. */
    private static Duration limit(ServerRequest request) {
        var requested = request.query().first("timeout").orElse("10s");
        try {
            var timeout = Durations.parse(requested);
            var limit = timeout.compareTo(MAX_TIMEOUT) < 0 ? timeout : MAX_TIMEOUT;
            return limit.compareTo(MARGIN.multipliedBy(2)) > 0 ? limit.minus(MARGIN) : limit;
        } catch (IllegalArgumentException e) {
            return MAX_TIMEOUT.minus(MARGIN);
        }
    }
}
