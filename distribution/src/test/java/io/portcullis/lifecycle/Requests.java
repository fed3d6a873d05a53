package io.portcullis.lifecycle;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;

/** Asks the API server to create pods, as a dry run, and tells what became of it. */
record Requests(KubernetesClient client, String namespace) {

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** What a user of the cluster sees. */
    sealed interface Answer {

        record Allowed() implements Answer {}

        /** A policy said no. */
        record Denied(String message) implements Answer {}

        /** Nobody judged, or not in time: the webhook could not be called, or the API server refused for another reason. */
        record Failed(String message) implements Answer {}
    }

    /** The same, asked only once: by itself a client asks up to ten times when a webhook fails, and hides that it did. */
    Requests once() {
        return new Requests(apart(patient().withRequestRetryBackoffLimit(0).build()), namespace);
    }

    /** The same over connections of its own. */
    Requests apart() {
        return new Requests(apart(patient().build()), namespace);
    }

    /** Waits longer than the API server does for a webhook, as kubectl does, so that the API server's answer is seen. */
    private ConfigBuilder patient() {
        return new ConfigBuilder(client.getConfiguration())
                .withConnectionTimeout((int) PATIENCE.toMillis())
                .withRequestTimeout((int) PATIENCE.toMillis());
    }

    private static KubernetesClient apart(Config config) {
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    Answer privilegedPod() {
        return create(pod(true));
    }

    Answer ordinaryPod() {
        return create(pod(false));
    }

    private Answer create(Pod pod) {
        try {
            client.resource(pod).dryRun(true).create();
            return new Answer.Allowed();
        } catch (KubernetesClientException e) {
            var message = e.getCode() + " " + e.getMessage() + (e.getCause() == null ? "" : " " + e.getCause());
            var judged = message.contains("denied the request") && !message.contains("deadline exceeded");
            return judged ? new Answer.Denied(message) : new Answer.Failed(message);
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
