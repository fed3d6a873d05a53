package io.portcullis.evaluator;

import org.jspecify.annotations.Nullable;

/** Thrown when a policy cannot be served; {@link Reason} identifies the failed part. */
public final class PolicyLoadException extends RuntimeException {

    /** The failed part. The names are the reasons in the status of a revision. */
    public enum Reason {
        INVALID_MODULE,
        INVALID_METADATA,
        LINK_ERROR,
        INVALID_SETTINGS,
        INVALID_EXPRESSION,
        INVALID_CAPABILITIES,
        /** The preparation process was killed or reached a limit. */
        PREPARATION_FAILED
    }

    /** What callers must know about a failure besides its reason. */
    public sealed interface Detail {

        record None() implements Detail {}

        /** The policy rejected its settings; {@code problem} is the text of the policy. */
        record SettingsRejected(String problem) implements Detail {}

        /** The module does not export the function that a waPC host calls. */
        record NoGuestCall() implements Detail {}

        /**
         * The preparation of the module failed, and it is not prepared again for some time.
         *
         * @param digest SHA-256 of the module, lower-case hexadecimal; it must leave the quarantine before another
         *     attempt can succeed
         */
        record Quarantined(String digest) implements Detail {}
    }

    private final Reason reason;
    private final String message;
    private final Detail detail;

    public PolicyLoadException(Reason reason, String message, @Nullable Throwable cause) {
        this(reason, message, cause, new Detail.None());
    }

    private PolicyLoadException(Reason reason, String message, @Nullable Throwable cause, Detail detail) {
        super(message, cause);
        this.reason = reason;
        this.message = message;
        this.detail = detail;
    }

    public static PolicyLoadException settingsRejected(String problem) {
        return new PolicyLoadException(
                Reason.INVALID_SETTINGS,
                "Policy settings are invalid: " + problem,
                null,
                new Detail.SettingsRejected(problem));
    }

    public static PolicyLoadException noGuestCall() {
        return new PolicyLoadException(
                Reason.INVALID_MODULE,
                "Guest call function (__guest_call) not exported by wasm module.",
                null,
                new Detail.NoGuestCall());
    }

    public static PolicyLoadException quarantined(String digest, String message) {
        return new PolicyLoadException(Reason.PREPARATION_FAILED, message, null, new Detail.Quarantined(digest));
    }

    /** Returns the same failure with a message that names the failed part of the policy. */
    public PolicyLoadException withMessage(String other) {
        return new PolicyLoadException(reason, other, this, detail);
    }

    public Detail detail() {
        return detail;
    }

    public Reason reason() {
        return reason;
    }

    /**
     * Returns the message of the rejections (code 500) for requests to the failed policy. The texts are those of
     * Kubewarden.
     */
    public String rejection(String policyId) {
        return switch (reason) {
            case INVALID_SETTINGS -> message;
            case LINK_ERROR, INVALID_CAPABILITIES -> "bootstrap failure: " + message;
            case INVALID_MODULE, INVALID_METADATA, INVALID_EXPRESSION, PREPARATION_FAILED ->
                "bootstrap failure: " + policyId + ": " + message;
        };
    }
}
