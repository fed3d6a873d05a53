package io.portcullis.api.revision;

/**
 * Field managers of server-side apply. A slot is a role, not a process: whoever takes over the role goes on writing it,
 * and applying nothing in a slot removes exactly its entries.
 */
public final class RevisionSlots {

    /** Owns Scheduled, Initialized, Verified, artifacts and leader. */
    public static final String LEADER = "policy-server/leader";

    /** Owns activation times and counts; on policies the whole status. */
    public static final String CONTROLLER = "kubewarden-controller";

    private RevisionSlots() {}

    /** Owns the Ready condition of one replica. */
    public static String replica(int ordinal) {
        return "policy-server/replica-" + ordinal;
    }
}
