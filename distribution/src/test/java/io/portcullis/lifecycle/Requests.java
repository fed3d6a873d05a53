package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;

/** Asks the API server to create pods, as a dry run, and tells what became of it. */
record Requests(KubernetesClient client, String namespace) implements PodRequests {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** What a user of the cluster sees. */
    sealed interface Answer {

        record Allowed() implements Answer {}

        /** A policy said no. */
        record Denied(String message) implements Answer {}

        /** No policy answered in time: the webhook could not be called, or the API server refused for another reason. */
        record Failed(String message) implements Answer {}
    }

    /**
     * The same, asked only once: by itself a client asks up to ten times when a webhook fails, and hides that it did. It
     * waits longer than the API server does for a webhook, so that the API server's answer is seen, and its requests share no
     * connection, so that a connection that breaks is one failure.
     */
    Requests once() {
        var config = new ConfigBuilder(client.getConfiguration())
                .withRequestRetryBackoffLimit(0)
                .withHttp2Disable(true)
                .withConnectionTimeout((int) PATIENCE.toMillis())
                .withRequestTimeout((int) PATIENCE.toMillis())
                .build();
        return new Requests(new KubernetesClientBuilder().withConfig(config).build(), namespace);
    }

    @Override
    public Answer privilegedPod() {
        return create(pod(true));
    }

    @Override
    public Answer ordinaryPod() {
        return create(pod(false));
    }

    /** Closes the client; for {@link #once}, which has a client of its own. */
    @Override
    public void close() {
        client.close();
    }

    private Answer create(Pod pod) {
        try {
            client.resource(pod).dryRun(true).create();
            return new Answer.Allowed();
        } catch (KubernetesClientException e) {
            var message = String.valueOf(e.getMessage());
            var judged = message.contains("denied the request") && !message.contains("deadline exceeded");
            return judged
                    ? new Answer.Denied(message)
                    : new Answer.Failed(e.getCode() + " " + message + " because of " + e.getCause());
        }
    }

    private Pod pod(boolean privileged) {
        return new PodBuilder()
                .withNewMetadata()
                .withGenerateName("asked-")
                .withNamespace(namespace)
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("c")
                .withImage("image")
                .withNewSecurityContext()
                .withPrivileged(privileged)
                .endSecurityContext()
                .endContainer()
                .endSpec()
                .build();
    }
}
