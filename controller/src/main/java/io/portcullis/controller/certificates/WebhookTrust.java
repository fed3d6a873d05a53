package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.controller.cluster.ClusterView;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whom the API server trusts when it calls us. The controller's own webhooks are told here; those of policies are told by
 * their reconciler.
 *
 * @param service of the controller's own webhooks
 */
record WebhookTrust(KubernetesClient client, ClusterView view, String namespace, String service) {

    private static final String FIELD_MANAGER = "kubewarden-controller/ca";
    private static final Logger log = LoggerFactory.getLogger(WebhookTrust.class);

    /** Writes the bundle into every entry of the controller's own webhooks that has another one. */
    void tell(String bundle) {
        var encoded = Base64.getEncoder().encodeToString(bundle.getBytes(StandardCharsets.UTF_8));
        view.validatingWebhooks().all().forEach(configuration -> tell(configuration, encoded));
        view.mutatingWebhooks().all().forEach(configuration -> tell(configuration, encoded));
    }

    private void tell(ValidatingWebhookConfiguration configuration, String encoded) {
        var ours = configuration.getWebhooks().stream()
                .filter(webhook -> leadsTo(webhook.getClientConfig(), service))
                .toList();
        if (ours.stream()
                .allMatch(webhook -> encoded.equals(webhook.getClientConfig().getCaBundle()))) {
            return;
        }
        client.resource(new ValidatingWebhookConfigurationBuilder()
                        .withNewMetadata()
                        .withName(configuration.getMetadata().getName())
                        .endMetadata()
                        .withWebhooks(ours.stream()
                                .map(webhook -> only(webhook, encoded))
                                .toList())
                        .build())
                .fieldManager(FIELD_MANAGER)
                .forceConflicts()
                .serverSideApply();
        told(configuration.getMetadata().getName());
    }

    private static ValidatingWebhook only(ValidatingWebhook webhook, String encoded) {
        return new ValidatingWebhookBuilder()
                .withName(webhook.getName())
                .withNewClientConfig()
                .withCaBundle(encoded)
                .endClientConfig()
                .build();
    }

    private void tell(MutatingWebhookConfiguration configuration, String encoded) {
        var ours = configuration.getWebhooks().stream()
                .filter(webhook -> leadsTo(webhook.getClientConfig(), service))
                .toList();
        if (ours.stream()
                .allMatch(webhook -> encoded.equals(webhook.getClientConfig().getCaBundle()))) {
            return;
        }
        client.resource(new MutatingWebhookConfigurationBuilder()
                        .withNewMetadata()
                        .withName(configuration.getMetadata().getName())
                        .endMetadata()
                        .withWebhooks(ours.stream()
                                .map(webhook -> only(webhook, encoded))
                                .toList())
                        .build())
                .fieldManager(FIELD_MANAGER)
                .forceConflicts()
                .serverSideApply();
        told(configuration.getMetadata().getName());
    }

    private static MutatingWebhook only(MutatingWebhook webhook, String encoded) {
        return new MutatingWebhookBuilder()
                .withName(webhook.getName())
                .withNewClientConfig()
                .withCaBundle(encoded)
                .endClientConfig()
                .build();
    }

    private static void told(String configuration) {
        log.atInfo().addKeyValue("webhooks", configuration).log("the API server is told whom to trust");
    }

    /** Whether every webhook of this installation, also those of policies, trusts the certificate. */
    boolean allTrust(X509Certificate authority) {
        var validating = view.validatingWebhooks().all().stream()
                .flatMap(configuration -> configuration.getWebhooks().stream())
                .map(ValidatingWebhook::getClientConfig);
        var mutating = view.mutatingWebhooks().all().stream()
                .flatMap(configuration -> configuration.getWebhooks().stream())
                .map(MutatingWebhook::getClientConfig);
        return Stream.concat(validating, mutating)
                .filter(this::leadsIntoOurNamespace)
                .allMatch(config -> trusts(config, authority));
    }

    private static boolean trusts(WebhookClientConfig config, X509Certificate authority) {
        if (config.getCaBundle() == null) {
            return false;
        }
        try {
            var pem = new String(Base64.getDecoder().decode(config.getCaBundle()), StandardCharsets.UTF_8);
            return SecretReader.certificates(pem).contains(authority);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    boolean leadsTo(WebhookClientConfig config, String wanted) {
        return leadsIntoOurNamespace(config)
                && wanted.equals(config.getService().getName());
    }

    private boolean leadsIntoOurNamespace(WebhookClientConfig config) {
        return config.getService() != null
                && namespace.equals(config.getService().getNamespace());
    }
}
