package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.ExecutionMode;
import java.time.Duration;
import java.util.Optional;

/**
 * Turns a module that no cache holds into native code. A program that serves many tenants does this in another process,
 * because the module's author chooses how much memory and time it takes. Thread-safe.
 */
@FunctionalInterface
public interface ModulePreparation {

    /**
     * Pre-initialises and compiles a module.
     *
     * @return what {@link io.portcullis.wasm.CompiledModule#serialize} returns for the prepared module
     * @throws PolicyLoadException when the module is broken, or a limit ended the preparation
     */
    byte[] prepare(Job job);

    /**
     * One module to prepare.
     *
     * @param digest SHA-256 of the module, lower-case hexadecimal
     * @param fingerprint the engine and the preparation that the compiled form must be made for
     * @param trial the settings to try the module with, if a policy with settings caused the preparation
     */
    record Job(String digest, byte[] wasm, ExecutionMode mode, String fingerprint, Optional<Trial> trial) {}

    /**
     * A first validation of settings. Only its survival counts: the validation that decides runs where the policy is served,
     * because only there the guest can call its host.
     *
     * @param settings as JSON
     */
    record Trial(byte[] settings, Duration timeout) {}
}
