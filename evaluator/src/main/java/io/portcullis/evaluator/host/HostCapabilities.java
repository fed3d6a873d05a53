package io.portcullis.evaluator.host;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.wasm.Deadline;
import java.util.List;
import java.util.Set;

/** Answers the calls that guests make to their host, on the guest's thread and within its deadline. */
@FunctionalInterface
public interface HostCapabilities {

    /**
     * @return the answer's bytes
     * @throws HostCallException with the text that the guest receives; the evaluation goes on
     */
    byte[] call(HostCall call);

    /** Who asks for what. */
    record HostCall(Caller caller, String binding, String namespace, String operation, byte[] payload) {}

    /** The policy that calls, with what it was granted, and until when it may run. */
    record Caller(
            String policyId,
            List<String> hostCapabilities,
            Set<ContextAwareResource> contextAwareResources,
            Deadline deadline) {}
}
