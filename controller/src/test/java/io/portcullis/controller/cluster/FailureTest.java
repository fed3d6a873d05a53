package io.portcullis.controller.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.Test;

class FailureTest {

    @Test
    void prefersTheMessageOfTheApiServer() {
        var status = new StatusBuilder().withMessage("\"a\" is invalid").build();

        assertThat(Failure.text(new KubernetesClientException("Failure executing: PATCH at …", 422, status)))
                .isEqualTo("\"a\" is invalid");
        assertThat(Failure.text(new KubernetesClientException("connection refused")))
                .isEqualTo("connection refused");
    }

    @Test
    void alwaysReturnsAText() {
        assertThat(Failure.text(new IllegalStateException())).isEqualTo("IllegalStateException");
        assertThat(Failure.text(new KubernetesClientException("no status", 500, new StatusBuilder().build())))
                .isEqualTo("no status");
    }
}
