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

    /**
     * All objects of one kind, for Rego policies: they cannot call their host, so the host reads the cluster for them.
     *
     * @return a Kubernetes list as JSON; the same array as long as nothing has changed
     * @throws HostCallException when the policy was not granted the kind, or the cluster does not answer
     */
    default byte[] listAll(Caller caller, ContextAwareResource resource) {
        var request = HostRequest.KubernetesListResourceAll.everything(resource.apiVersion(), resource.kind());
        return call(new HostCall(caller, "kubewarden", "kubernetes", "list_resources_all", HostJson.write(request)));
    }

    /** The plural, lower-case name of a granted kind. */
    default String pluralName(Caller caller, ContextAwareResource resource) {
        throw new HostCallException("Cannot process Wasm guest request: callback channel not provided");
    }

    /** Bounds what policies write to the log, by whatever way. */
    default LogQuota logQuota() {
        return LogQuota.DEFAULT;
    }

    /** Who asks for what. */
    record HostCall(Caller caller, String binding, String namespace, String operation, byte[] payload) {}

    /** The policy that calls, with what it was granted, and until when it may run. */
    record Caller(
            String policyId,
            List<String> hostCapabilities,
            Set<ContextAwareResource> contextAwareResources,
            Deadline deadline) {}
}
