package io.portcullis.controller.policyserver;

import io.portcullis.api.policyserver.PolicyServer;

/** Creates and renews a policy server's credentials: its TLS Secret and the Secret of its cache signer. */
@FunctionalInterface
public interface ServerSecrets {

    /** Ensures that both Secrets exist and are valid; writes nothing if they already are. */
    void ensure(PolicyServer server) throws Exception;
}
