package io.portcullis.server.cluster.modules;

import java.util.Optional;

/** Other replicas of this PolicyServer that may have a module in their caches. */
@FunctionalInterface
public interface ModulePeers {

    /** No other replica is asked. */
    ModulePeers NONE = _ -> Optional.empty();

    /**
     * Returns the module with this digest; empty when no replica sent it in time. The bytes match the digest. The caller has checked
     * that this replica may fetch the digest.
     */
    Optional<byte[]> fetch(String digest);
}
