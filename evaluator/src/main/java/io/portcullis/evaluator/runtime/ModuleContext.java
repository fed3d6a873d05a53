package io.portcullis.evaluator.runtime;

import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.wasm.Limits;

/**
 * For whom a module runs and within which bounds.
 *
 * @param settings the settings object as JSON with sorted keys, serialised once at load
 */
public record ModuleContext(Caller caller, byte[] settings, Limits limits) {

    public String policyId() {
        return caller.policyId();
    }
}
