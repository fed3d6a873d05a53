package io.portcullis.controller.cluster;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;

/**
 * Returns the message of an exception. Prefers the API server's own text, because the client's message repeats it three
 * times.
 */
public final class Failure {

    private Failure() {}

    public static String text(Exception failure) {
        return Optional.of(failure)
                .filter(KubernetesClientException.class::isInstance)
                .map(KubernetesClientException.class::cast)
                .map(KubernetesClientException::getStatus)
                .map(Status::getMessage)
                .or(() -> Optional.ofNullable(failure.getMessage()))
                .orElseGet(() -> failure.getClass().getSimpleName());
    }
}
