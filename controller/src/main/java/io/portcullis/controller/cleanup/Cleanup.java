package io.portcullis.controller.cleanup;

import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyKind;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.api.policyserver.PolicyServer;
import io.portcullis.controller.policyserver.spec.ServerNames;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first step of uninstalling. Deletes every webhook, because nothing would answer it. Removes our finalizers,
 * because nothing would remove them later. Deletes all objects of policy servers. Policies, PolicyServers and CRDs
 * stay, and their status reports that nothing enforces them; the next installation enforces them again.
 */
public final class Cleanup {

    private static final Logger log = LoggerFactory.getLogger(Cleanup.class);

    /** The name of the Deployment in the Helm chart. */
    private static final String CONTROLLER = "kubewarden-controller";

    /**
     * Resource collections that the controller creates for each PolicyServer; pods are deleted with their StatefulSet.
     */
    private static final List<String> SERVER_OBJECTS = List.of(
            "/apis/apps/v1/statefulsets",
            "/apis/policy/v1/poddisruptionbudgets",
            "/apis/networking.k8s.io/v1/networkpolicies",
            "/apis/rbac.authorization.k8s.io/v1/rolebindings",
            "/apis/rbac.authorization.k8s.io/v1/roles",
            "/api/v1/services",
            "/api/v1/secrets",
            "/api/v1/configmaps",
            "/api/v1/persistentvolumeclaims");

    private static final String LEASES = "/apis/coordination.k8s.io/v1/leases";
    private static final String SERVER_LABELS = ServerNames.allServers().entrySet().stream()
            .map(label -> label.getKey() + "%3D" + label.getValue())
            .collect(Collectors.joining("%2C"));

    private static final List<String> FINALIZERS = List.of(PolicyNames.FINALIZER, PolicyNames.LEGACY_FINALIZER);

    private final KubernetesClient client;
    private final String namespace;

    private Cleanup(KubernetesClient client, String namespace) {
        this.client = client;
        this.namespace = namespace;
    }

    /** Removes everything; can be repeated after a failure. */
    public static void run(KubernetesClient client, String namespace) {
        run(client, namespace, Duration.ofMinutes(1));
    }

    /**
     * Removes all webhooks and our finalizers when the namespace of the installation is being deleted. Policies and policy
     * servers stay; the next installation enforces them again.
     */
    public static void runForDeletedNamespace(KubernetesClient client, String namespace) {
        var cleanup = new Cleanup(client, namespace);
        cleanup.removeWebhooks();
        cleanup.detachPolicies();
        cleanup.detachPolicyServers();
        cleanup.removeWebhooks();
    }

    static void run(KubernetesClient client, String namespace, Duration timeout) {
        var cleanup = new Cleanup(client, namespace);
        cleanup.stopController(timeout);
        // Deletes our own webhooks, too: without the controller they would reject the following writes.
        cleanup.removeWebhooks();
        cleanup.detachPolicies();
        cleanup.detachPolicyServers();
        cleanup.removeServerObjects();
        cleanup.removeWebhooks();
    }

    /** Stops the controller, because it would recreate its webhooks. Continues if it does not stop in time. */
    private void stopController(Duration timeout) {
        var controller = client.apps().deployments().inNamespace(namespace).withName(CONTROLLER);
        if (controller.get() == null) {
            return;
        }
        controller.withPropagationPolicy(DeletionPropagation.FOREGROUND).delete();
        try {
            controller.waitUntilCondition(Objects::isNull, timeout.toMillis(), TimeUnit.MILLISECONDS);
            log.info("the controller has stopped");
        } catch (KubernetesClientException e) {
            log.warn("the controller has not stopped: {}", e.getMessage());
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

    private void detachPolicies() {
        var policies = new ArrayList<Policy>();
        for (var kind : PolicyKind.values()) {
            var resources = client.resources(kind.type());
            policies.addAll((kind.isNamespaced() ? resources.inAnyNamespace() : resources)
                    .list()
                    .getItems());
        }
        for (var policy : policies) {
            removeFinalizers(policy);
            ifPresent(() -> UninstalledStatus.write(client, policy, Instant.now()));
        }
    }

    private void detachPolicyServers() {
        for (var server : client.resources(PolicyServer.class).list().getItems()) {
            removeFinalizers(server);
            ifPresent(() -> UninstalledStatus.write(client, server, Instant.now()));
        }
    }

    /**
     * Deletes whole collections, so that the job needs no permission to read Secrets. Leases have no labels, so each is
     * deleted by name.
     */
    private void removeServerObjects() {
        for (var collection : SERVER_OBJECTS) {
            client.raw(path(collection) + "?labelSelector=" + SERVER_LABELS, "DELETE", null);
        }
        for (var server : client.resources(PolicyServer.class).list().getItems()) {
            var lease = new ServerNames(server.getMetadata().getName()).lease();
            ifPresent(() -> client.raw(path(LEASES) + "/" + lease, "DELETE", null));
        }
        log.info("removed all objects of policy servers");
    }

    private String path(String collection) {
        int group = collection.lastIndexOf('/');
        return collection.substring(0, group) + "/namespaces/" + namespace + collection.substring(group);
    }

    private void delete(HasMetadata object) {
        client.resource(object).delete();
        log.info("removed {} {}", object.getKind(), object.getMetadata().getName());
    }

    /** Removes our finalizers and keeps those of others. */
    private void removeFinalizers(HasMetadata object) {
        var finalizers = object.getMetadata().getFinalizers();
        if (finalizers.stream().noneMatch(FINALIZERS::contains)) {
            return;
        }
        var others = finalizers.stream()
                .filter(finalizer -> !FINALIZERS.contains(finalizer))
                .map(finalizer -> '"' + finalizer + '"')
                .collect(Collectors.joining(","));
        ifPresent(() -> client.resource(object)
                .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"metadata\":{\"finalizers\":[" + others + "]}}"));
    }

    /** Runs the write; ignores that the object is gone. */
    private static void ifPresent(Runnable write) {
        try {
            write.run();
        } catch (KubernetesClientException e) {
            if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
                throw e;
            }
        }
    }
}
