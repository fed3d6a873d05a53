package io.portcullis.controller.policy;

import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.List;

/** A ValidatingAdmissionPolicy that makes the API server deny a change for every user. */
final class WebhookUpdateBan {

    private static final int UNPROCESSABLE = 422;

    private final KubernetesClient client;
    private final List<HasMetadata> objects;

    private WebhookUpdateBan(KubernetesClient client, List<HasMetadata> objects) {
        this.client = client;
        this.objects = objects;
    }

    /** Denies updates that leave the failure policy of this webhook at Fail. Updates to Ignore stay possible. */
    static WebhookUpdateBan onFailingClosed(KubernetesClient client, String webhook) {
        return start(
                client,
                webhook,
                "UPDATE",
                "Forbidden",
                "object.metadata.name != '" + webhook + "' || object.webhooks[0].failurePolicy != 'Fail'",
                () -> client.admissionRegistration()
                        .v1()
                        .validatingWebhookConfigurations()
                        .withName(webhook)
                        .dryRun()
                        .edit(live -> {
                            live.getWebhooks().getFirst().setTimeoutSeconds(7);
                            return live;
                        }));
    }

    /** Denies the deletion of this webhook, with the code that policies of clusters use by default. */
    static WebhookUpdateBan onDeletion(KubernetesClient client, String webhook) {
        return start(
                client,
                webhook,
                "DELETE",
                "Invalid",
                "oldObject.metadata.name != '" + webhook + "'",
                () -> client.admissionRegistration()
                        .v1()
                        .validatingWebhookConfigurations()
                        .withName(webhook)
                        .dryRun()
                        .delete());
    }

    private static WebhookUpdateBan start(
            KubernetesClient client,
            String webhook,
            String operation,
            String reason,
            String expression,
            Runnable banned) {
        var name = "ban-" + webhook;
        var policy = new ValidatingAdmissionPolicyBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withFailurePolicy("Fail")
                .withNewMatchConstraints()
                .addNewResourceRule()
                .withApiGroups("admissionregistration.k8s.io")
                .withApiVersions("*")
                .withOperations(operation)
                .withResources("validatingwebhookconfigurations")
                .endResourceRule()
                .endMatchConstraints()
                .addNewValidation()
                .withExpression(expression)
                .withReason(reason)
                .endValidation()
                .endSpec()
                .build();
        var binding = new ValidatingAdmissionPolicyBindingBuilder()
                .withNewMetadata()
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withPolicyName(name)
                .withValidationActions("Deny")
                .endSpec()
                .build();
        var ban = new WebhookUpdateBan(client, List.of(policy, binding));
        ban.objects.forEach(object -> client.resource(object).create());
        await().atMost(Duration.ofSeconds(30)).until(() -> isInForce(banned));
        return ban;
    }

    /** Checks with a dry run, because API servers enforce a new policy with a delay. */
    private static boolean isInForce(Runnable banned) {
        try {
            banned.run();
            return false;
        } catch (KubernetesClientException e) {
            return e.getCode() == HttpURLConnection.HTTP_FORBIDDEN || e.getCode() == UNPROCESSABLE;
        }
    }

    void lift() {
        objects.forEach(object -> client.resource(object).delete());
    }
}
