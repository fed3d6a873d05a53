package io.portcullis.controller.cleanup;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.AdmissionPolicy;
import io.portcullis.api.policy.AdmissionPolicyGroup;
import io.portcullis.api.policy.ClusterAdmissionPolicy;
import io.portcullis.api.policy.ClusterAdmissionPolicyGroup;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What uninstalling does first: no webhook is left that would send requests to nobody, and no finalizer that nobody would
 * take off. Policies stay, as their definitions do; policy servers go.
 */
public final class Cleanup {

    private static final Logger log = LoggerFactory.getLogger(Cleanup.class);

    /** The chart's name for it. */
    private static final String CONTROLLER = "kubewarden-controller";

    private static final List<String> FINALIZERS = List.of(PolicyNames.FINALIZER, PolicyNames.LEGACY_FINALIZER);

    private final KubernetesClient client;
    private final String namespace;

    private Cleanup(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Removes everything; may be repeated after a failure. */
    public static void run(KubernetesClient client, String namespace) {
        run(client, namespace, Duration.ofMinutes(1));
    }

    /**
     * Removes all webhooks and our finalizers when the namespace of the installation is being deleted. Policies and policy
     * servers stay; the next installation enforces them again.
     */
    public static void leaveNamespace(KubernetesClient client, String namespace) {
        var cleanup = new Cleanup(client, namespace);
        cleanup.removeWebhooks();
        cleanup.releasePolicies();
        client.resources(PolicyServer.class).list().getItems().forEach(cleanup::release);
        cleanup.removeWebhooks();
    }

    static void run(KubernetesClient client, String namespace, Duration patience) {
        var cleanup = new Cleanup(client, namespace);
        cleanup.stopController(patience);
        // Our own webhooks, too: without the controller they would refuse the writes that follow.
        cleanup.removeWebhooks();
        cleanup.releasePolicies();
        cleanup.removePolicyServers();
        cleanup.removeWebhooks();
    }

    /** A controller that runs would bring its webhooks back. One that does not stop in time is not waited for. */
    private void stopController(Duration patience) {
        var controller = client.apps().deployments().inNamespace(namespace).withName(CONTROLLER);
        if (controller.get() == null) {
            return;
        }
        controller.withPropagationPolicy(DeletionPropagation.FOREGROUND).delete();
        try {
            controller.waitUntilCondition(Objects::isNull, patience.toMillis(), TimeUnit.MILLISECONDS);
            log.info("the controller has stopped");
        } catch (KubernetesClientException e) {
            log.warn("the controller is still there: {}", e.getMessage());
        }
    }

    private void removeWebhooks() {
        var admission = client.admissionRegistration().v1();
        Stream.<HasMetadata>concat(
                        admission
                                .validatingWebhookConfigurations()
                                .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                                .list()
                                .getItems()
                                .stream(),
                        admission
                                .mutatingWebhookConfigurations()
                                .withLabel(PolicyNames.PART_OF, PolicyNames.PART_OF_VALUE)
                                .list()
                                .getItems()
                                .stream())
                .forEach(this::delete);
    }

    private void releasePolicies() {
        var policies = new ArrayList<HasMetadata>();
        policies.addAll(client.resources(ClusterAdmissionPolicy.class).list().getItems());
        policies.addAll(
                client.resources(ClusterAdmissionPolicyGroup.class).list().getItems());
        policies.addAll(
                client.resources(AdmissionPolicy.class).inAnyNamespace().list().getItems());
        policies.addAll(client.resources(AdmissionPolicyGroup.class)
                .inAnyNamespace()
                .list()
                .getItems());
        policies.forEach(this::release);
    }

    private void removePolicyServers() {
        for (PolicyServer server : client.resources(PolicyServer.class).list().getItems()) {
            delete(server);
            release(server);
        }
    }

    private void delete(HasMetadata object) {
        client.resource(object).delete();
        log.info("removed {} {}", object.getKind(), object.getMetadata().getName());
    }

    /** Takes our finalizers off, and leaves those of others. */
    private void release(HasMetadata object) {
        var finalizers = object.getMetadata().getFinalizers();
        if (finalizers.stream().noneMatch(FINALIZERS::contains)) {
            return;
        }
        var others = finalizers.stream()
                .filter(finalizer -> !FINALIZERS.contains(finalizer))
                .map(finalizer -> '"' + finalizer + '"')
                .collect(Collectors.joining(","));
        try {
            client.resource(object)
                    .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":[" + others + "]}}");
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }
}
