package io.portcullis.api.validation;

import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;

/**
 * What admission adds to our resources. Only the finalizer of PolicyServers: policies get theirs from the reconciler
 * while a webhook exists, and defaults come from the schema, which leaves an explicit empty {@code policyServer} alone.
 */
public final class Defaulting {

    private Defaulting() {}

    /** Adds the finalizer unless the object is being deleted; says whether that changed it. */
    public static boolean apply(PolicyServer server) {
        return !server.isMarkedForDeletion() && server.addFinalizer(PolicyNames.FINALIZER);
    }
}
