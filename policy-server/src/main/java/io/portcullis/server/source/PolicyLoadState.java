package io.portcullis.server.source;

import io.portcullis.api.policies.PolicyMode;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The state of one policy, as {@code GET /policies} shows it.
 *
 * @param generation the wanted generation
 * @param served the generation that answers requests, if there is one; older than {@code generation} when that one failed
 * @param since the time when this state began
 */
public record PolicyLoadState(
        String id,
        long generation,
        OptionalLong served,
        Optional<String> digest,
        PolicyMode mode,
        Phase phase,
        Instant since,
        Optional<String> lastError) {

    /** The phase of a policy. */
    public enum Phase {
        LOADING("loading"),
        ACTIVE("active"),
        /** An older generation may still be served. */
        FAILED("failed");

        private final String wireName;

        Phase(String wireName) {
            this.wireName = wireName;
        }

        public String wireName() {
            return wireName;
        }
    }
}
