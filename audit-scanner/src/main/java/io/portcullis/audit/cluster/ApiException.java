package io.portcullis.audit.cluster;

import org.jspecify.annotations.Nullable;

/**
 * Reports that the API server rejected a request or was unreachable. The message comes from the API server and names
 * the forbidden action and the user.
 */
public final class ApiException extends RuntimeException {

    /** Code for a request without a response. */
    public static final int UNREACHABLE = 0;

    private final int code;
    private final String continueToken;

    public ApiException(int code, String message, @Nullable Throwable cause) {
        this(code, message, "", cause);
    }

    ApiException(int code, String message, String continueToken, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.continueToken = continueToken;
    }

    /** Returns the HTTP status, or {@link #UNREACHABLE}. */
    public int code() {
        return code;
    }

    public boolean isNotFound() {
        return code == 404;
    }

    /** Returns the token that continues an expired list; empty if there is none. */
    String continueToken() {
        return continueToken;
    }

    /** Reports whether the continue token of a list has expired. */
    public boolean isExpired() {
        return code == 410;
    }
}
