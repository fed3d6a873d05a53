package io.portcullis.core.validation;

import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;

/**
 * Adds defaults at admission. It adds only the finalizer of PolicyServers. The reconciler adds the finalizer of policies while
 * a webhook exists. Field defaults come from the schema, which keeps an explicit empty {@code policyServer}.
 */
public final class Defaulting {

    private Defaulting() {}

    /** Adds the finalizer unless the object is being deleted. Returns whether the object changed. */
    public static boolean apply(PolicyServer server) {
        return !server.isMarkedForDeletion() && server.addFinalizer(PolicyNames.FINALIZER);
    }
}
