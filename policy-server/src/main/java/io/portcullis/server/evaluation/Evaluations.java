package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyClosedException;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.process.metrics.Description;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.signals.LastRequest;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.evaluation.pool.FairPool;
import io.portcullis.server.evaluation.pool.OverloadedException;
import io.portcullis.server.evaluation.pool.PoolLimits;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.PolicyAddress;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Broken;
import io.portcullis.server.evaluation.routing.RoutedPolicy.Loaded;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Evaluates requests with the addressed policies. Callers may use any thread, which blocks until the response. Guests run on
 * the threads of the pool. Thread-safe.
 */
public final class Evaluations implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Evaluations.class);

    /** Omits the cause, which may contain parts of the request. The server log contains it. */
    private static final String FAILED =
            "internal error: the policy could not be evaluated; see the log of the policy server for the cause";

    /** The time that the self-check may wait for a worker; the limit of the pool applies too. */
    private static final Duration SELF_CHECK_LIMIT = Duration.ofSeconds(2);

    private final EvaluationEnvironment environment;
    private final FairPool pool;
    private final EvaluationMetrics metrics;
    private final EvaluationTrace trace;
    private final Optional<String> acceptedNamespace;
    private final LastRequest lastRequest = new LastRequest();

    /** @param acceptedNamespace requests in it are accepted without evaluation */
    public Evaluations(
            EvaluationEnvironment environment,
            PoolLimits limits,
            Metrics metrics,
            Tracing tracing,
            String host,
            Optional<String> acceptedNamespace) {
        this.environment = environment;
        this.pool = new FairPool(limits);
        this.metrics = new EvaluationMetrics(metrics);
        this.trace = new EvaluationTrace(tracing, host);
        this.acceptedNamespace = acceptedNamespace;
        metrics.gauge("kubewarden_policies_loaded", "Policies that are loaded.", environment::loadedCount);
        metrics.gauge("kubewarden_evaluations_running", "Evaluations that are running.", pool::runningCount);
        metrics.gauge("kubewarden_evaluations_waiting", "Evaluations that wait for a worker.", pool::waitingCount);
        metrics.gauges(
                new Description(
                        "kubewarden_policy_evaluations_waiting",
                        "",
                        "Evaluations that wait for a worker, by policy.",
                        List.of("policy_name")),
                this::waitingByPolicy);
    }

    private Map<List<String>, Long> waitingByPolicy() {
        return pool.waitingByPolicy().entrySet().stream()
                .filter(entry -> !entry.getKey().equals(FairPool.SELF_CHECK))
                .collect(Collectors.toMap(
                        entry -> List.of(entry.getKey()),
                        entry -> entry.getValue().longValue()));
    }

    /**
     * Runs the server's own health check on the pool, in a separate lane.
     *
     * @return the response of a policy that allows everything
     */
    public EvaluationResult checkPool(EvaluationRequest request) throws InterruptedException {
        try {
            return new EvaluationResult.Evaluated(
                    pool.run(FairPool.SELF_CHECK, SELF_CHECK_LIMIT, () -> AdmissionResponse.allow(request.uid())));
        } catch (OverloadedException e) {
            return new EvaluationResult.Overloaded(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Evaluates a request. An unexpected failure rejects the request too: an HTTP error would admit it where the failure
     * policy of the webhook is Ignore.
     *
     * @param deadline the deadline of the client; the timeout of the policy applies too
     */
    public EvaluationResult evaluate(
            PolicyAddress address, RequestOrigin origin, EvaluationRequest request, Deadline deadline)
            throws InterruptedException {
        lastRequest.record();
        while (true) {
            var found = environment.find(address);
            if (found.isEmpty()) {
                found = environment.await(address, deadline);
            }
            if (found.isEmpty()) {
                return new EvaluationResult.UnknownPolicy(address);
            }
            try (var span = trace.start(found.get().revision(), origin, request)) {
                var answer = switch (found.get()) {
                    case Broken broken -> rejected(broken, request);
                    case Loaded loaded ->
                        isAccepted(request)
                                ? accepted(loaded, origin, request)
                                : evaluated(loaded, origin, request, deadline);
                };
                EvaluationTrace.finish(span, answer);
                return new EvaluationResult.Evaluated(answer);
            } catch (OverloadedException e) {
                metrics.shed(found.get().revision());
                return new EvaluationResult.Overloaded(String.valueOf(e.getMessage()));
            } catch (PolicyClosedException e) {
                log.atDebug()
                        .addKeyValue("policy_id", address.id())
                        .log("policy was replaced during the request, looking it up again");
            } catch (RuntimeException | StackOverflowError e) {
                return new EvaluationResult.Evaluated(
                        failed(address, request, e).response());
            }
        }
    }

    private static PolicyVerdict failed(PolicyAddress address, EvaluationRequest request, Throwable error) {
        log.atError()
                .setCause(error)
                .addKeyValue("policy_id", address.id())
                .addKeyValue("uid", request.uid())
                .log("evaluation failed; the request is rejected");
        return new PolicyVerdict.Failed(
                EvaluationFailure.HOST_ERROR, AdmissionResponse.reject(request.uid(), Status.error(FAILED)));
    }

    /** Returns the verdict of the policy. A failed evaluation is a rejection, so that monitor mode applies to it too. */
    private static PolicyVerdict audited(Loaded loaded, EvaluationRequest request, Deadline deadline) {
        try {
            return loaded.policy().audit(request, deadline);
        } catch (PolicyClosedException e) {
            throw e;
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            return failed(PolicyAddress.current(loaded.revision().id()), request, e);
        }
    }

    private boolean isAccepted(EvaluationRequest request) {
        return acceptedNamespace.isPresent()
                && request instanceof EvaluationRequest.Admission admission
                && admission.namespace().equals(acceptedNamespace);
    }

    private AdmissionResponse accepted(Loaded loaded, RequestOrigin origin, EvaluationRequest request) {
        var response = AdmissionResponse.allow(request.uid());
        metrics.evaluated(loaded.revision(), origin, request, new PolicyVerdict.Decided(response), 0);
        return response;
    }

    private AdmissionResponse rejected(Broken broken, EvaluationRequest request) {
        metrics.broken(broken.revision(), broken.rejection());
        return AdmissionResponse.reject(request.uid(), Status.error(broken.rejection()));
    }

    private AdmissionResponse evaluated(
            Loaded loaded, RequestOrigin origin, EvaluationRequest request, Deadline deadline)
            throws InterruptedException {
        var requestedAt = System.nanoTime();
        return pool.run(loaded.revision().id(), deadline.remaining(), () -> {
            var startedAt = System.nanoTime();
            metrics.began(startedAt - requestedAt);
            var verdict = audited(loaded, request, deadline);
            metrics.evaluated(loaded.revision(), origin, request, verdict, System.nanoTime() - startedAt);
            return switch (origin) {
                case AUDIT -> verdict.response();
                case VALIDATE, VALIDATE_RAW -> enforced(loaded, verdict);
            };
        });
    }

    private static AdmissionResponse enforced(Loaded loaded, PolicyVerdict verdict) {
        var response = verdict.response();
        var enforced = loaded.policy().enforce(verdict);
        switch (loaded.revision().mode()) {
            case PROTECT -> {}
            case MONITOR ->
                log.atInfo()
                        .addKeyValue("policy_id", loaded.revision().id())
                        .addKeyValue("uid", response.uid())
                        .addKeyValue("allowed", response.allowed())
                        .addKeyValue(
                                "response", "allowed: " + response.allowed()) // scripts for Kubewarden match this text
                        .addKeyValue("mutated", response.patch().isPresent())
                        .addKeyValue(
                                "response_message",
                                response.status().flatMap(Status::message).orElse(""))
                        .log("policy evaluation (monitor mode)");
        }
        return enforced;
    }

    /** Returns the time since the last request. */
    public Duration sinceLastRequest() {
        return lastRequest.age();
    }

    /** Waits until no evaluation runs. Returns false if evaluations still run after the limit. */
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return pool.awaitIdle(limit);
    }

    @Override
    public void close() {
        pool.close();
    }
}
