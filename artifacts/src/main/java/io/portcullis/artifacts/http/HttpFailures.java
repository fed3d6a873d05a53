package io.portcullis.artifacts.http;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.UnresolvedAddressException;
import javax.net.ssl.SSLException;

/** Maps HTTP failures to {@link Reason}s. */
final class HttpFailures {

    private HttpFailures() {}

    static ArtifactException of(Request request, int status, String detail) {
        var reason = switch (status) {
            case 401, 403 -> Reason.UNAUTHORIZED;
            case 404, 410 -> Reason.NOT_FOUND;
            case 408, 504 -> Reason.TIMEOUT;
            default -> Reason.UNAVAILABLE;
        };
        return new ArtifactException(reason, request + " answered " + status + (detail.isBlank() ? "" : ": " + detail));
    }

    static ArtifactException of(Request request, IOException failure) {
        return switch (failure) {
            case HttpTimeoutException e -> new ArtifactException(Reason.TIMEOUT, request + ": no answer in time", e);
            case SlowBodyException e -> new ArtifactException(Reason.TIMEOUT, request + ": " + e.getMessage(), e);
            case UnknownHostException e -> unavailable(request, "unknown host", e);
            case ConnectException e -> unavailable(request, connectFailure(e), e);
            case NoRouteToHostException e -> unavailable(request, "the network is unreachable", e);
            case SSLException e -> unavailable(request, "TLS: " + e.getMessage(), e);
            default -> unavailable(request, String.valueOf(failure.getMessage()), failure);
        };
    }

    /**
     * The JDK's client reports an unknown host, a refused connection and a missing network by the same exception, with
     * different causes.
     */
    private static String connectFailure(ConnectException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return switch (root) {
            case UnresolvedAddressException _ -> "unknown host";
            case NoRouteToHostException _ -> "the network is unreachable";
            case ClosedChannelException _ -> "connection refused";
            default -> root.getMessage() == null ? "cannot connect" : "cannot connect: " + root.getMessage();
        };
    }

    static ArtifactException interrupted(Request request, InterruptedException e) {
        Thread.currentThread().interrupt();
        return new ArtifactException(Reason.UNAVAILABLE, request + ": interrupted", e);
    }

    private static ArtifactException unavailable(Request request, String why, IOException cause) {
        return new ArtifactException(Reason.UNAVAILABLE, request + ": " + why, cause);
    }
}
