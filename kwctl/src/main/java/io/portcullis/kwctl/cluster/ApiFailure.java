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

/** Converts a failed request to the API server into a one-line error that names the likely cause. */
final class ApiFailure {

    private static final int UNPROCESSABLE = 422;

    private ApiFailure() {}

    /**
     * @param intent the failed operation, for example {@code list policies}
     * @param address of the API server
     */
    static CommandException of(String intent, String address, KubernetesClientException failure) {
        return new CommandException(
                switch (failure.getCode()) {
                    case HttpURLConnection.HTTP_UNAUTHORIZED ->
                        "the cluster at " + address + " does not accept your credentials (401); log in again";
                    case HttpURLConnection.HTTP_FORBIDDEN, UNPROCESSABLE ->
                        isFromWebhook(failure)
                                ? "the cluster refused to " + intent + ": " + serverMessage(failure)
                                : "you are not allowed to " + intent + ": " + serverMessage(failure);
                    case 0, -1 -> unreachable(address, failure);
                    default -> "cannot " + intent + ": " + serverMessage(failure);
                });
    }

    /** Returns whether the status code is 403. Both a missing permission and a rejecting admission webhook cause this code. */
    static boolean isForbidden(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_FORBIDDEN;
    }

    /** Returns whether the object, or its resource type, does not exist. */
    static boolean isMissing(KubernetesClientException failure) {
        return failure.getCode() == HttpURLConnection.HTTP_NOT_FOUND;
    }

    private static boolean isFromWebhook(KubernetesClientException failure) {
        return failure.getCode() == UNPROCESSABLE || serverMessage(failure).contains("admission webhook");
    }

    /** Returns the API server's message, which names the forbidden operation and the user. */
    private static String serverMessage(KubernetesClientException failure) {
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
        return serverMessage(failure);
    }
}
