package io.portcullis.api.revision;

/**
 * Field managers of server-side apply. A field manager stands for a role, not for a process: the next holder of the role uses
 * the same field manager. Applying an empty object removes exactly the entries of that field manager.
 */
public final class RevisionSlots {

    /** Owns Scheduled, Initialized, Verified, artifacts and leader. */
    public static final String LEADER = "policy-server/leader";

    /** Owns activation times and replica counts; on policies it owns the whole status. */
    public static final String CONTROLLER = "kubewarden-controller";

    private RevisionSlots() {}

    /** Owns the Ready condition of one replica. */
    public static String replica(int ordinal) {
        return "policy-server/replica-" + ordinal;
    }
}
