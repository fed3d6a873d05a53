package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.SettingsOutcome;

/** A linked module, shared by all policies with the same digest. Each call runs in a fresh instance. Thread-safe. */
public interface ExecutableModule extends AutoCloseable {

    /** A misbehaving guest never causes an exception. */
    GuestOutcome evaluate(EvaluationRequest request, ModuleContext context);

    /** A misbehaving guest never causes an exception. */
    SettingsOutcome validateSettings(ModuleContext context);

    /** Closes the module. Called when no policy uses the module any more and no evaluation is running. */
    @Override
    void close();
}
