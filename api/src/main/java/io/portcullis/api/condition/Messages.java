package io.portcullis.api.condition;

/** Messages of lifecycle conditions. Users and scripts depend on the wording, so it is part of the interface. */
public final class Messages {

    public static final String WAITING_FOR_POLICY_SERVER = "The policy was created and is pending to be loaded.";
    public static final String POLICY_SCHEDULED = "The policy was scheduled by the PolicyServer.";
    public static final String INITIALIZING = "The policy is being initialized by the PolicyServer.";
    public static final String POLICY_INITIALIZED = "The policy was successfully initialized.";
    public static final String POLICY_READY = "The policy is ready to be used.";
    public static final String PULL_ERROR = "Cannot pull the policy from the registry.";
    public static final String SIGNATURE_NOT_ACCEPTED =
            "It stays enforced, but the verification config of its PolicyServer does not accept it:";

    private Messages() {}
}
