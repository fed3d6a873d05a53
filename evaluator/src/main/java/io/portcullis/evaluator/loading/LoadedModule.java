package io.portcullis.evaluator.loading;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.evaluator.EvaluationFailure;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.PolicyClosedException;
import io.portcullis.evaluator.PolicyEvaluator;
import io.portcullis.evaluator.PolicyVerdict;
import io.portcullis.evaluator.SettingsOutcome;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.review.Verdicts;
import io.portcullis.evaluator.runtime.GuestOutcome;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.MemoryBudgetExceededException;
import java.time.Duration;
import java.util.Optional;

/** A reference to a shared module together with one policy's configuration. */
final class LoadedModule implements PolicyEvaluator {

    private final String id;
    private final SharedModules.ModuleReference moduleReference;
    private final PolicyEntry.Module definition;
    private final byte[] settings;
    private final EvaluationLimits limits;
    private final InFlight inFlight;

    /** Takes ownership of the reference. */
    LoadedModule(
            String id,
            SharedModules.ModuleReference moduleReference,
            PolicyEntry.Module definition,
            EvaluationLimits limits) {
        this.id = id;
        this.moduleReference = moduleReference;
        this.definition = definition;
        this.settings = JsonTree.serialise(definition.settings());
        this.limits = limits;
        this.inFlight = new InFlight(moduleReference::close);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public PolicyVerdict judge(EvaluationRequest request, Deadline deadline) {
        if (!inFlight.enter()) {
            throw new PolicyClosedException(id);
        }
        try {
            var limit = within(deadline, timeout());
            return verdict(moduleReference.module().evaluate(request, context(limit)), request, limit);
        } finally {
            inFlight.leave();
        }
    }

    /**
     * Turns the outcome into a verdict. For a mutation, reserves memory first: the comparison with the request needs
     * trees, which take many times the memory of their text.
     */
    private PolicyVerdict verdict(GuestOutcome outcome, EvaluationRequest request, Deadline deadline) {
        if (!(outcome instanceof GuestOutcome.Answered(var response))
                || response.mutatedObject().isEmpty()) {
            return Verdicts.of(outcome, request);
        }
        long bytes = JsonTree.heapBytes(request.json())
                + JsonTree.heapBytes(response.mutatedObject().get());
        try (var _ = limits.hostMemory().reserve(bytes, deadline)) {
            return Verdicts.of(outcome, request);
        } catch (MemoryBudgetExceededException e) {
            return Verdicts.of(
                    new GuestOutcome.Failed(EvaluationFailure.of(e), String.valueOf(e.getMessage())), request);
        }
    }

    @Override
    public SettingsOutcome validateSettings() {
        var allowed = timeout().orElse(EvaluationLimits.SETTINGS_VALIDATION);
        return moduleReference.module().validateSettings(context(Deadline.after(allowed)));
    }

    private Optional<Duration> timeout() {
        return definition.timeout().or(limits::timeout);
    }

    private static Deadline within(Deadline deadline, Optional<Duration> timeout) {
        return timeout.map(deadline::atMost).orElse(deadline);
    }

    private ModuleContext context(Deadline deadline) {
        var caller = new Caller(
                id,
                definition.hostCapabilities(),
                definition.contextAwareResources(),
                definition.contextNamespace(),
                deadline);
        return new ModuleContext(caller, settings, limits.guest(), limits.hostMemory());
    }

    @Override
    public void close() {
        inFlight.close();
    }
}
