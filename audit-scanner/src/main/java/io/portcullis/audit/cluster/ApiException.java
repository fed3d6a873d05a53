package io.portcullis.audit.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the API server rejected a request or was unreachable. The message comes from the API server and names
 * the forbidden action and the user.
 */
public final class ApiException extends RuntimeException {

    /** Code for a request without a response. */
    public static final int UNREACHABLE = 0;

    private static final String NAMESPACE_TERMINATING = "NamespaceTerminating";

    private final int code;
    private final String continueToken;
    private final boolean isNamespaceTerminating;

    public ApiException(int code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
        this.continueToken = "";
        this.isNamespaceTerminating = false;
    }

    private ApiException(int code, String fallback, JsonNode status) {
        super(status.path("message").asText(fallback));
        this.code = code;
        this.continueToken = status.path("metadata").path("continue").asText("");
        this.isNamespaceTerminating = StreamSupport.stream(
                        status.path("details").path("causes").spliterator(), false)
                .anyMatch(cause -> cause.path("reason").asText().equals(NAMESPACE_TERMINATING));
    }

    /** Creates the failure from a Status of the API server; {@code fallback} is the message if the Status has none. */
    static ApiException ofStatus(int code, String fallback, JsonNode status) {
        return new ApiException(code, fallback, status);
    }

    /** Returns the HTTP status, or {@link #UNREACHABLE}. */
    public int code() {
        return code;
    }

    public boolean isNotFound() {
        return code == 404;
    }

    /** Reports whether the namespace of a new object is being deleted. */
    public boolean isNamespaceTerminating() {
        return isNamespaceTerminating;
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
