package io.portcullis.evaluator.host;

import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.wasm.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Answers the host calls of guests, on the guest's thread and within its deadline. */
@FunctionalInterface
public interface HostCapabilities {

    /**
     * @return the bytes of the answer
     * @throws HostCallException with the text that the guest receives; the evaluation continues
     */
    byte[] call(HostCall call);

    /**
     * Returns all objects of one kind, for Rego policies. Rego policies cannot call their host, so the host reads the
     * cluster for them.
     *
     * @return a Kubernetes list as JSON; the same array as long as nothing has changed
     * @throws HostCallException if the policy was not granted the kind, or the cluster does not answer
     */
    default byte[] listAll(Caller caller, ContextAwareResource resource) {
        var request = HostRequest.KubernetesListResourceAll.everything(resource.apiVersion(), resource.kind());
        return call(new HostCall(caller, "kubewarden", "kubernetes", "list_resources_all", HostJson.write(request)));
    }

    /** Returns the plural, lower-case name of a granted kind. */
    default String pluralName(Caller caller, ContextAwareResource resource) {
        throw new HostCallException("Cannot process Wasm guest request: callback channel not provided");
    }

    /** Limits everything that policies write to the log. */
    default LogQuota logQuota() {
        return LogQuota.DEFAULT;
    }

    /** A host call with its caller. */
    record HostCall(Caller caller, String binding, String namespace, String operation, byte[] payload) {}

    /**
     * The calling policy with its grants and its deadline.
     *
     * @param contextNamespace the only namespace whose objects the policy may read; empty: all namespaces
     */
    record Caller(
            String policyId,
            List<String> hostCapabilities,
            Set<ContextAwareResource> contextAwareResources,
            Optional<String> contextNamespace,
            Deadline deadline) {

        /** A policy whose reads are not limited to a namespace. */
        public Caller(
                String policyId,
                List<String> hostCapabilities,
                Set<ContextAwareResource> contextAwareResources,
                Deadline deadline) {
            this(policyId, hostCapabilities, contextAwareResources, Optional.empty(), deadline);
        }
    }
}
