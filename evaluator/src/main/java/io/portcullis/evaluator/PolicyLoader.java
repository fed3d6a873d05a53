package io.portcullis.evaluator;

import io.portcullis.api.policies.PolicyEntry;

/**
 * Loads policies from modules and settings. Thread-safe; modules with the same digest are compiled once and shared.
 */
public interface PolicyLoader extends AutoCloseable {

    /**
     * Compiles or reuses the modules, links them, validates settings and, for groups, the expression.
     *
     * @param modules provides the bytes of each module that the entry names
     * @throws PolicyLoadException with the cause for the operator; a failed load releases all its resources
     */
    LoadedPolicy load(String policyId, PolicyEntry entry, ModuleBytes modules);

    @Override
    void close();

    /** Provides module bytes that are already fetched and verified. */
    @FunctionalInterface
    interface ModuleBytes {
        byte[] of(String moduleUrl);
    }
}
