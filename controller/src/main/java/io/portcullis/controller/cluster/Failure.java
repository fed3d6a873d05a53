package io.portcullis.controller.cluster;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Optional;

/** What went wrong, in the API server's own words where it said any: the client's text repeats them three times. */
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
