package io.portcullis.evaluator;

import io.portcullis.api.policies.PolicyEntry;

/** Turns modules and settings into policies. Thread-safe; modules with the same digest are compiled once and shared. */
public interface PolicyLoader extends AutoCloseable {

    /**
     * Compiles or reuses the modules, links them, validates settings and, for groups, the expression.
     *
     * @param modules gives the bytes of each module the entry names
     * @throws PolicyLoadException with the cause for the operator; nothing stays behind
     */
    LoadedPolicy load(String policyId, PolicyEntry entry, ModuleBytes modules);

    @Override
    void close();

    /** Where module bytes come from: already fetched and verified. */
    @FunctionalInterface
    interface ModuleBytes {
        byte[] of(String moduleUrl);
    }
}
