package io.portcullis.server.standalone;

import io.portcullis.api.policies.PolicyMode;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * How one entry of {@code policies.yml} is doing, for people and for {@code GET /policies}.
 *
 * @param generation of the definition in the file
 * @param served the generation that answers, if one does; older than {@code generation} when that is broken
 * @param since when this state began
 */
public record StandalonePolicyState(
        String id,
        long generation,
        OptionalLong served,
        Optional<String> digest,
        PolicyMode mode,
        Phase phase,
        Instant since,
        Optional<String> lastError) {

    /** Where an entry stands. */
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
