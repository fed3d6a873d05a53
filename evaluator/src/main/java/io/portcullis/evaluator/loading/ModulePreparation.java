package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.ExecutionMode;
import java.time.Duration;
import java.util.Optional;

/**
 * Compiles a module that is in no cache to native code. A program that serves many tenants does this in another
 * process, because the module's author controls the required memory and time. Thread-safe.
 */
@FunctionalInterface
public interface ModulePreparation {

    /**
     * Pre-initialises and compiles a module.
     *
     * @return the bytes that {@link io.portcullis.wasm.CompiledModule#serialize} returns for the prepared module
     * @throws PolicyLoadException if the module is broken, or a limit ended the preparation
     */
    byte[] prepare(Job job);

    /**
     * One module to prepare.
     *
     * @param digest SHA-256 of the module, lower-case hexadecimal
     * @param fingerprint identifies the engine and the preparation that the compiled module must match
     * @param trial the settings for a test run, if a policy with settings caused the preparation
     */
    record Job(String digest, byte[] wasm, ExecutionMode mode, String fingerprint, Optional<Trial> trial) {}

    /**
     * A test run: the first validation of settings. It only shows that the guest survives. The decisive validation runs
     * where the policy is served, because only there the guest can call its host.
     *
     * @param settings as JSON
     */
    record Trial(byte[] settings, Duration timeout) {}
}
