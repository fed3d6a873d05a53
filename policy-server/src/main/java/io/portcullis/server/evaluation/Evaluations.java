package io.portcullis.server.evaluation;

import io.portcullis.evaluator.AdmissionResponse;
import io.portcullis.evaluator.AdmissionResponse.Status;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyClosedException;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.server.evaluation.ServedPolicy.Broken;
import io.portcullis.server.evaluation.ServedPolicy.Loaded;
import io.portcullis.wasm.Deadline;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * From a request and a policy's name to an answer. Called on any thread, which then waits; guests run on the threads of
 * the pool.
 */
public final class Evaluations implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Evaluations.class);

    private final EvaluationEnvironment environment;
    private final FairPool pool;
    private final EvaluationMetrics metrics;
    private final EvaluationTrace trace;
    private final Optional<String> acceptedNamespace;

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
    }

    /** @param deadline the client's; the policy's own limit applies too */
    public Answer judge(PolicyAddress address, Origin origin, EvaluationRequest request, Deadline deadline)
            throws InterruptedException {
        while (true) {
            var found = environment.find(address);
            if (found.isEmpty()) {
                found = environment.await(address, deadline);
            }
            if (found.isEmpty()) {
                return new Answer.UnknownPolicy(address);
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
                return new Answer.Judged(answer);
            } catch (OverloadedException e) {
                metrics.shed(found.get().revision());
                return new Answer.Overloaded(String.valueOf(e.getMessage()));
            } catch (PolicyClosedException e) {
                log.atDebug().addKeyValue("policy_id", address.id()).log("policy was replaced meanwhile");
            }
        }
    }

    private boolean isAccepted(EvaluationRequest request) {
        return acceptedNamespace.isPresent()
                && request instanceof EvaluationRequest.Admission admission
                && admission.namespace().equals(acceptedNamespace);
    }

    private AdmissionResponse accepted(Loaded loaded, Origin origin, EvaluationRequest request) {
        var response = AdmissionResponse.allow(request.uid());
        metrics.evaluated(loaded.revision(), origin, request, response, 0);
        return response;
    }

    private AdmissionResponse rejected(Broken broken, EvaluationRequest request) {
        metrics.broken(broken.revision(), broken.rejection());
        return AdmissionResponse.reject(request.uid(), Status.error(broken.rejection()));
    }

    private AdmissionResponse evaluated(Loaded loaded, Origin origin, EvaluationRequest request, Deadline deadline)
            throws InterruptedException {
        var asked = System.nanoTime();
        return pool.run(loaded.revision().id(), deadline.remaining(), () -> {
            var begun = System.nanoTime();
            metrics.began(begun - asked);
            var verdict = loaded.policy().audit(request, deadline);
            metrics.evaluated(loaded.revision(), origin, request, verdict, System.nanoTime() - begun);
            return switch (origin) {
                case AUDIT -> verdict;
                case VALIDATE, VALIDATE_RAW -> enforced(loaded, verdict);
            };
        });
    }

    private static AdmissionResponse enforced(Loaded loaded, AdmissionResponse verdict) {
        var enforced = loaded.policy().enforce(verdict);
        switch (loaded.revision().mode()) {
            case PROTECT -> {}
            case MONITOR ->
                log.atInfo()
                        .addKeyValue("policy_id", loaded.revision().id())
                        .addKeyValue("uid", verdict.uid())
                        .addKeyValue("allowed", verdict.allowed())
                        .addKeyValue("mutated", verdict.patch().isPresent())
                        .addKeyValue(
                                "response_message",
                                verdict.status().flatMap(Status::message).orElse(""))
                        .log("policy evaluation (monitor mode)");
        }
        return enforced;
    }

    /** Whether every evaluation ended within the limit. */
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return pool.awaitIdle(limit);
    }

    @Override
    public void close() {
        pool.close();
    }
}
