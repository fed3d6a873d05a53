package io.portcullis.controller.policyserver;

import io.portcullis.api.policyserver.PolicyServer;

/** Makes and renews what a policy server identifies itself with: its TLS Secret and that of its cache signer. */
@FunctionalInterface
public interface ServerSecrets {

    /** Afterwards both are there and valid; writes nothing when they were. */
    void ensure(PolicyServer server) throws Exception;
}
