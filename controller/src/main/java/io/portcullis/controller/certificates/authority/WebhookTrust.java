package io.portcullis.controller.certificates.authority;

import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.core.webhook.DesiredWebhook;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the CA bundle and the owner into the controller's own webhook configurations. The policy reconciler writes those of
 * policies.
 *
 * @param service of the controller's own webhooks
 */
public record WebhookTrust(KubernetesClient client, ClusterView view, String namespace, String service) {

    private static final String FIELD_MANAGER = "kubewarden-controller/ca";
    private static final Logger log = LoggerFactory.getLogger(WebhookTrust.class);

    /** Writes the bundle into every entry of the controller's own webhooks that has another one. */
    public void writeBundle(String bundle) {
        var encoded = Base64.getEncoder().encodeToString(bundle.getBytes(StandardCharsets.UTF_8));
        view.validatingWebhooks()
                .all()
                .forEach(configuration -> writeBundle(
                        configuration,
                        entries(
                                configuration.getWebhooks(),
                                ValidatingWebhook::getName,
                                ValidatingWebhook::getClientConfig),
                        encoded));
        view.mutatingWebhooks()
                .all()
                .forEach(configuration -> writeBundle(
                        configuration,
                        entries(
                                configuration.getWebhooks(),
                                MutatingWebhook::getName,
                                MutatingWebhook::getClientConfig),
                        encoded));
    }

    /** The common fields of the two webhook kinds, which share no type. */
    private record Entry(String name, WebhookClientConfig client) {}

    private <T> List<Entry> entries(
            List<T> webhooks, Function<T, String> name, Function<T, WebhookClientConfig> clientConfig) {
        return webhooks.stream()
                .map(webhook -> new Entry(name.apply(webhook), clientConfig.apply(webhook)))
                .filter(entry -> pointsTo(entry.client(), service))
                .toList();
    }

    private void writeBundle(HasMetadata configuration, List<Entry> ours, String encoded) {
        if (ours.isEmpty()) {
            return;
        }
        var owner = view.namespaces()
                .get("", namespace)
                .map(found ->
                        DesiredWebhook.owner(namespace, found.getMetadata().getUid()));
        boolean isOwned = owner.isEmpty()
                || configuration.getMetadata().getOwnerReferences().contains(owner.get());
        if (isOwned
                && ours.stream().allMatch(entry -> encoded.equals(entry.client().getCaBundle()))) {
            return;
        }
        var name = configuration.getMetadata().getName();
        client.resource(new GenericKubernetesResourceBuilder()
                        .withApiVersion(configuration.getApiVersion())
                        .withKind(configuration.getKind())
                        .withNewMetadata()
                        .withName(name)
                        .withOwnerReferences(owner.stream().toList())
                        .endMetadata()
                        .addToAdditionalProperties(
                                "webhooks",
                                ours.stream()
                                        .map(entry -> Map.of(
                                                "name", entry.name(), "clientConfig", Map.of("caBundle", encoded)))
                                        .toList())
                        .build())
                .fieldManager(FIELD_MANAGER)
                .forceConflicts()
                .serverSideApply();
        log.atInfo().addKeyValue("webhooks", name).log("wrote the CA bundle and owner of our webhooks");
    }

    public boolean isOwn(@Nullable ValidatingWebhookConfiguration configuration) {
        return configuration != null
                && configuration.getWebhooks().stream()
                        .anyMatch(webhook -> pointsTo(webhook.getClientConfig(), service));
    }

    public boolean isOwn(@Nullable MutatingWebhookConfiguration configuration) {
        return configuration != null
                && configuration.getWebhooks().stream()
                        .anyMatch(webhook -> pointsTo(webhook.getClientConfig(), service));
    }

    /** Whether every webhook of this installation, including those of policies, trusts the certificate. */
    boolean allTrust(X509Certificate authority) {
        var validating = view.validatingWebhooks().all().stream()
                .flatMap(configuration -> configuration.getWebhooks().stream())
                .map(ValidatingWebhook::getClientConfig);
        var mutating = view.mutatingWebhooks().all().stream()
                .flatMap(configuration -> configuration.getWebhooks().stream())
                .map(MutatingWebhook::getClientConfig);
        return Stream.concat(validating, mutating)
                .filter(this::pointsIntoOurNamespace)
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

    boolean pointsTo(WebhookClientConfig config, String wanted) {
        return pointsIntoOurNamespace(config)
                && wanted.equals(config.getService().getName());
    }

    private boolean pointsIntoOurNamespace(WebhookClientConfig config) {
        return config.getService() != null
                && namespace.equals(config.getService().getNamespace());
    }
}
