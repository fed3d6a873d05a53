package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.kwctl.cli.CommandException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.UnknownHostException;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/** A failed request to the API server in one line that says what to look at. */
final class ApiFailure {

    private static final int UNPROCESSABLE = 422;

    private ApiFailure() {}

    /**
     * @param intent what was to be done, for example {@code list policies}
     * @param address of the API server
     */
    static CommandException of(String intent, String address, KubernetesClientException failure) {
        return new CommandException(
                switch (failure.getCode()) {
                    case HttpURLConnection.HTTP_UNAUTHORIZED ->
                        "the cluster at " + address + " does not accept your credentials (401); log in again";
                    case HttpURLConnection.HTTP_FORBIDDEN, UNPROCESSABLE ->
                        isFromWebhook(failure)
                                ? "the cluster refused to " + intent + ": " + words(failure)
                                : "you are not allowed to " + intent + ": " + words(failure);
                    case 0, -1 -> unreachable(address, failure);
                    default -> "cannot " + intent + ": " + words(failure);
                });
    }

    /** Whether the user lacks the permission, as opposed to an admission webhook that says no, with the same code. */
    static boolean isForbidden(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
    }

    /** No such object, or no such kind of objects. */
    static boolean isMissing(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
    }

    private static boolean isFromWebhook(KubernetesClientException failure) {
        return failure.getCode() == UNPROCESSABLE || words(failure).contains("admission webhook");
    }

    /** The API server's own words, which name what is forbidden to whom. */
    private static String words(KubernetesClientException failure) {
        var status = failure.getStatus();
        var text = status != null && status.getMessage() != null ? status.getMessage() : failure.getMessage();
        return PlainText.of(String.valueOf(text));
    }

    private static String unreachable(String address, KubernetesClientException failure) {
        return "cannot reach the cluster at " + address + ": " + reason(failure);
    }

    private static String reason(KubernetesClientException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            switch (cause) {
                case UnknownHostException _, UnresolvedAddressException _ -> {
                    return "its name cannot be resolved";
                }
                case HttpTimeoutException _, TimeoutException _ -> {
                    return "it does not answer";
                }
                case ConnectException refused -> {
                    return refused.getCause() instanceof UnresolvedAddressException
                            ? "its name cannot be resolved"
                            : "connection refused";
                }
                case SSLException tls -> {
                    return "TLS: " + PlainText.of(String.valueOf(tls.getMessage()));
                }
                case IOException io
                when io.getCause() == null && io.getMessage() != null -> {
                    return PlainText.of(io.getMessage());
                }
                default -> {}
            }
        }
        return words(failure);
    }
}
