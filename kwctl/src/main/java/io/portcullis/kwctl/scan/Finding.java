package io.portcullis.kwctl.scan;

/**
 * What one policy thinks of one object.
 *
 * @param message why; empty when there is nothing to say
 */
public record Finding(ScannedObject object, String policy, Verdict verdict, String message) {

    /** What a cluster would do, the worst first. */
    public enum Verdict {
        REJECTED,
        /** The policy would reject it, but is only monitoring. */
        MONITORED,
        MUTATED,
        ALLOWED,
        /** The policy would not be asked. */
        SKIPPED;

        /** Whether people want to see it without asking for everything. */
        boolean isNotable() {
            return this == REJECTED || this == MONITORED;
        }
    }
}
