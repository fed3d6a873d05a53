package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.EvaluationRequest;

/** A linked module, shared by all policies with the same digest. Each call runs in a fresh instance. Thread-safe. */
public interface ExecutableModule extends AutoCloseable {

    /** Never throws for what a guest does. */
    GuestOutcome evaluate(EvaluationRequest request, ModuleContext context);

    /** Never throws for what a guest does. */
    SettingsOutcome validateSettings(ModuleContext context);

    /** Called when no policy uses the module any more and no evaluation is under way. */
    @Override
    void close();
}
