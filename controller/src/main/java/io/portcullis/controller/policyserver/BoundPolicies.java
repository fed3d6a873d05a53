package io.portcullis.controller.policyserver;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ServiceReference;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.WebhookClientConfig;
import io.portcullis.api.policy.Policy;
import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.api.revision.RevisionNames;
import io.portcullis.core.status.RolloutProgress;
import io.portcullis.core.webhook.WebhookNames;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The policies of one server, and the webhooks and revisions that still use it.
 *
 * @param policies that name the server
 * @param webhooks that send requests to the server, or belong to a policy that names it
 * @param revisions that its replicas serve
 */
record BoundPolicies(List<Policy> policies, List<Hook> webhooks, List<PolicyRevision> revisions) {

    /** A webhook configuration of either kind: the policy that it belongs to, and the servers that it points to. */
    record Hook(String policy, String configuration, TreeSet<String> servers) {

        static Hook of(ValidatingWebhookConfiguration configuration, String namespace) {
            return of(
                    configuration,
                    namespace,
                    configuration.getWebhooks().stream().map(ValidatingWebhook::getClientConfig));
        }

        static Hook of(MutatingWebhookConfiguration configuration, String namespace) {
            return of(
                    configuration,
                    namespace,
                    configuration.getWebhooks().stream().map(MutatingWebhook::getClientConfig));
        }

        private static Hook of(HasMetadata object, String namespace, Stream<@Nullable WebhookClientConfig> clients) {
            var annotations =
                    Objects.requireNonNullElse(object.getMetadata().getAnnotations(), Map.<String, String>of());
            var servers = new TreeSet<String>();
            Optional.ofNullable(annotations.get(WebhookNames.POLICY_SERVER)).ifPresent(servers::add);
            clients.forEach(client -> {
                var service = client == null ? null : client.getService();
                server(service, namespace).ifPresent(servers::add);
            });
            var policy = qualified(
                    annotations.get(WebhookNames.POLICY_NAMESPACE), annotations.get(WebhookNames.POLICY_NAME));
            return new Hook(policy, object.getMetadata().getName(), servers);
        }

        private static Optional<String> server(@Nullable ServiceReference service, String namespace) {
            return service != null && namespace.equals(service.getNamespace())
                    ? PolicyServerNames.policyServer(service.getName())
                    : Optional.empty();
        }

        /** The name for a human reader. */
        String title() {
            return policy.isEmpty() ? configuration : policy;
        }
    }

    static BoundPolicies of(
            String server, Stream<Policy> policies, Stream<Hook> webhooks, Stream<PolicyRevision> revisions) {
        var bound = policies.filter(policy -> policy.policyServerName().equals(server))
                .toList();
        var names = bound.stream().map(BoundPolicies::nameOf).toList();
        return new BoundPolicies(
                bound,
                webhooks.filter(hook -> hook.servers().contains(server) || names.contains(hook.policy()))
                        .toList(),
                revisions.filter(revision -> server.equals(serverOf(revision))).toList());
    }

    static @Nullable String serverOf(PolicyRevision revision) {
        var labels = revision.getMetadata().getLabels();
        return labels == null ? null : labels.get(RevisionNames.POLICY_SERVER);
    }

    private static String nameOf(Policy policy) {
        return policy.ref().qualifiedName();
    }

    private static String qualified(@Nullable String namespace, @Nullable String name) {
        if (name == null) {
            return "";
        }
        return namespace == null || namespace.isEmpty() ? name : namespace + "/" + name;
    }

    /** The policies whose webhook may still send requests to the server. */
    List<String> withWebhook() {
        var names = new TreeSet<String>();
        webhooks.forEach(hook -> names.add(hook.title()));
        // The webhook may just have been deleted, while the drain deadline is not written yet.
        revisions.stream()
                .filter(revision -> revision.getSpec().enabled()
                        && revision.getSpec().active()
                        && latestStamp(revision).isEmpty())
                .forEach(revision -> names.add(qualified(
                        revision.getSpec().objectReference().namespace(),
                        revision.getSpec().objectReference().name())));
        return List.copyOf(names);
    }

    /** Until when pods must answer late requests. */
    Optional<Instant> latestDrain() {
        return revisions.stream()
                .filter(revision -> revision.getSpec().enabled())
                .flatMap(revision -> latestStamp(revision).stream())
                .max(Instant::compareTo);
    }

    private static Optional<Instant> latestStamp(PolicyRevision revision) {
        var annotations = Objects.requireNonNullElse(revision.getMetadata().getAnnotations(), Map.<String, String>of());
        return Stream.of(RevisionNames.DISABLE_AFTER, RevisionNames.DELETE_AFTER)
                .flatMap(name -> Stream.ofNullable(annotations.get(name)))
                .flatMap(text -> instant(text).stream())
                .max(Instant::compareTo);
    }

    private static Optional<Instant> instant(String text) {
        try {
            return Optional.of(Instant.parse(text));
        } catch (DateTimeParseException e) {
            return Optional.empty();
        }
    }

    /** Policies with a webhook whose latest generation not every replica has loaded. */
    List<String> notLoaded(int replicas) {
        return policies.stream()
                .filter(policy -> policy.getMetadata().getDeletionTimestamp() == null)
                .filter(policy ->
                        webhooks.stream().anyMatch(hook -> hook.policy().equals(nameOf(policy))))
                .filter(policy -> !isLoaded(policy, replicas))
                .map(BoundPolicies::nameOf)
                .sorted()
                .toList();
    }

    private boolean isLoaded(Policy policy, int replicas) {
        var metadata = policy.getMetadata();
        return revisions.stream()
                .filter(revision -> revision.getSpec().objectReference().uid().equals(metadata.getUid())
                        && revision.getSpec().policyGeneration() == metadata.getGeneration())
                .map(revision -> RolloutProgress.of(
                        revision.getSpec().policyGeneration(),
                        revision.getStatus() == null
                                ? List.of()
                                : revision.getStatus().conditions()))
                .anyMatch(progress -> progress.loadedBy(replicas) >= replicas);
    }
}
