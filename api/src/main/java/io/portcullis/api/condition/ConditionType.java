package io.portcullis.api.condition;

/** Every condition type that we write on policies and revisions. */
public enum ConditionType {
    /** The leader of the policy server has taken this generation. */
    SCHEDULED("Scheduled"),
    /** The leader pulled, compiled and validated this generation. */
    INITIALIZED("Initialized"),
    /** The signatures of an initialized generation satisfy the present verification config; written when they do not. */
    VERIFIED("Verified"),
    /** One replica has loaded this generation. */
    READY("Ready"),
    /** A webhook is registered. */
    POLICY_ACTIVE("PolicyActive"),
    /** Every replica has loaded the latest generation. */
    POLICY_SERVER_CONFIGURATION_UP_TO_DATE("PolicyServerConfigurationUpToDate"),
    /** Only the latest generation, on the latest rollout, can be reached. */
    POLICY_UNIQUELY_REACHABLE("PolicyUniquelyReachable"),
    /** The policy has a server and its content is valid. */
    ACCEPTED("Accepted"),
    /** Every replica was seen serving the latest generation behind the registered webhook. */
    ENFORCED("Enforced"),
    /** Another policy changes what this one sees. */
    POLICY_AFFECTED("PolicyAffected");

    private final String wireName;

    ConditionType(String wireName) {
        this.wireName = wireName;
    }

    public String wireName() {
        return wireName;
    }
}
