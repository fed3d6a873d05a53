package io.portcullis.api.condition;

/** All condition types that Portcullis writes on policies and revisions. */
public enum ConditionType {
    /** The leader of the policy server has accepted this generation for initialization. */
    SCHEDULED("Scheduled"),
    /** The leader pulled, compiled and validated this generation. */
    INITIALIZED("Initialized"),
    /**
     * The signatures of an initialized generation satisfy the current verification config. The condition is written only
     * when they do not.
     */
    VERIFIED("Verified"),
    /** One replica has loaded this generation. */
    READY("Ready"),
    /** A webhook is registered. */
    POLICY_ACTIVE("PolicyActive"),
    /** All replicas have loaded the latest generation. */
    POLICY_SERVER_CONFIGURATION_UP_TO_DATE("PolicyServerConfigurationUpToDate"),
    /** Requests can reach only the latest generation on the latest rollout. */
    POLICY_UNIQUELY_REACHABLE("PolicyUniquelyReachable"),
    /** The policy has a server and its content is valid. */
    ACCEPTED("Accepted"),
    /** Probes proved that every replica serves the latest generation behind the registered webhook. */
    ENFORCED("Enforced"),
    /** Another policy changes the requests that this policy receives. */
    POLICY_AFFECTED("PolicyAffected");

    private final String wireName;

    ConditionType(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }
}
