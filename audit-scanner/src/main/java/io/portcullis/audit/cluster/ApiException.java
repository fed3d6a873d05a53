package io.portcullis.audit.cluster;

import org.jspecify.annotations.Nullable;

/** The API server refused or could not be asked. The message is its own, and names what is forbidden to whom. */
public final class ApiException extends RuntimeException {

    /** No answer came. */
    public static final int UNREACHABLE = 0;

    private final int code;
    private final String resumption;

    public ApiException(int code, String message, @Nullable Throwable cause) {
        this(code, message, "", cause);
    }

    ApiException(int code, String message, String resumption, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.resumption = resumption;
    }

    /** Status of the answer, or {@link #UNREACHABLE}. */
    public int code() {
        return code;
    }

    public boolean isNotFound() {
        return code == 404;
    }

    /** The token with which an expired list goes on; empty when there is none. */
    String resumption() {
        return resumption;
    }

    /** The list that is being paged through is too old. */
    public boolean isExpired() {
        return code == 410;
    }
}
