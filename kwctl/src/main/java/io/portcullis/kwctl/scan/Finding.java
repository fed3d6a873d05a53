package io.portcullis.kwctl.scan;

/**
 * The result of one policy for one object.
 *
 * @param message the reason; may be empty
 */
public record Finding(ScannedObject object, String policy, Verdict verdict, String message) {

    /** The action of a cluster, the worst first. */
    public enum Verdict {
        REJECTED,
        /** The policy would reject the object, but is in monitor mode. */
        MONITORED,
        MUTATED,
        ALLOWED,
        /** The cluster would not call the policy. */
        SKIPPED;

        /** Returns whether the default report shows the finding. */
        boolean isNotable() {
            return this == REJECTED || this == MONITORED;
        }
    }
}
