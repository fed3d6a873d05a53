package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.tls.Identity;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import javax.net.ssl.KeyManager;
import org.jspecify.annotations.Nullable;

/** All about the installation's certificates, for the rest of the controller. */
public final class Certificates {

    private final ClusterView view;
    private final String namespace;
    private final LeafSecret webhookServer;
    private final PolicyServerSecrets policyServerSecrets;
    private final WebhookTrust webhooks;
    private final CertificateRotation rotation;
    /** What was last asked for, which is many times between two changes. */
    private volatile @Nullable Read read;

    private record Read(Optional<Secret> secret, Optional<String> bundle) {}

    /**
     * @param webhookService of the controller's own webhooks
     * @param settling how long after a change of the authority its certificates come into use
     */
    public record Place(String namespace, String webhookService, Duration settling) {}

    /** A certificate to serve with. */
    public record Serving(String secret, String certificatePem, String keyPem) {

        /** Never the key. */
        @Override
        public String toString() {
            return "Serving[" + secret + "]";
        }
    }

    /** Registers what it wants to see with the view, so before that is started. */
    public Certificates(
            KubernetesClient client, ClusterView view, Place place, Metrics metrics, Clock clock, SecureRandom random) {
        this.view = view;
        this.namespace = place.namespace();
        this.webhookServer = LeafSecret.ofWebhooks(place.webhookService(), namespace);
        var store = new SecretStore(client, view, namespace);
        var maker = new CertificateMaker(clock, random);
        var authority = new CertificateAuthority(store, maker, clock);
        this.webhooks = new WebhookTrust(client, view, namespace, place.webhookService());
        var leaves = new LeafSecrets(store, maker, new AuthorityTrust(webhooks, clock, place.settling()), clock);
        policyServerSecrets =
                new PolicyServerSecrets(store, authority, leaves, new CertificateEvents(client, clock), random);
        rotation = new CertificateRotation(
                view,
                authority,
                webhooks,
                leaves,
                List.of(webhookServer, LeafSecret.ofAuditScanner()),
                policyServerSecrets);
        view.secrets().onChange(new CertificateMetrics(metrics, clock)::changed);
    }

    /** Everything that is trusted now, in PEM: the present authority ‖ its predecessor. Empty until there is one. */
    public Optional<String> caBundle() {
        var secret = view.secrets().get(namespace, AuthoritySecret.NAME);
        var known = read;
        if (known == null || !known.secret().equals(secret)) {
            known = new Read(secret, new AuthoritySecret(secret).bundle());
            read = known;
        }
        return known.bundle();
    }

    public PolicyServerSecrets policyServerSecrets() {
        return policyServerSecrets;
    }

    /** Calls with what the controller's own webhooks are to be served with, now and whenever it changes. */
    public void onServing(Consumer<Serving> listener) {
        view.secrets().onChange((before, after) -> {
            if (after != null && after.getMetadata().getName().equals(webhookServer.name())) {
                listener.accept(serving(after));
            }
        });
    }

    /** What the controller shows to policy servers that ask for a client certificate; nothing while it has none. */
    public KeyManager[] clientKeys() {
        return view.secrets()
                .get(namespace, webhookServer.name())
                .map(Certificates::serving)
                .map(own -> Identity.parse(own.secret(), own.certificatePem(), own.keyPem())
                        .keyManagers())
                .orElseGet(() -> new KeyManager[0]);
    }

    private static Serving serving(Secret secret) {
        var found = Optional.of(secret);
        return new Serving(
                secret.getMetadata().getName(),
                SecretReader.text(found, LeafSecret.CERTIFICATE),
                SecretReader.text(found, LeafSecret.KEY));
    }

    /** Calls with everything that is trusted, whenever that changes. */
    public void onBundle(Consumer<String> listener) {
        view.secrets().onChange((before, after) -> {
            if (after != null && after.getMetadata().getName().equals(AuthoritySecret.NAME)) {
                new AuthoritySecret(Optional.of(after)).bundle().ifPresent(listener);
            }
        });
    }

    /** Makes, checks and rotates from now on, until closed; for the leader alone. */
    public WorkQueue<String> startRotation() {
        var queue = new WorkQueue<>("certificates", WorkQueue.Pace.USUAL, rotation);
        view.secrets().onChange((before, after) -> {
            if (concerns(before) || concerns(after)) {
                queue.add(CertificateRotation.ALL);
            }
        });
        // Those of policies are their reconciler's affair; a rotation that waits for them looks again by itself.
        view.validatingWebhooks().onChange((before, after) -> {
            if (webhooks.isOwn(before) || webhooks.isOwn(after)) {
                queue.add(CertificateRotation.ALL);
            }
        });
        view.mutatingWebhooks().onChange((before, after) -> {
            if (webhooks.isOwn(before) || webhooks.isOwn(after)) {
                queue.add(CertificateRotation.ALL);
            }
        });
        queue.add(CertificateRotation.ALL);
        return queue;
    }

    /** Ours by its name, or by what the Secrets of policy servers are labelled with. */
    private static boolean concerns(@Nullable Secret secret) {
        return secret != null
                && (secret.getMetadata().getName().equals(AuthoritySecret.NAME)
                        || Objects.requireNonNullElse(secret.getMetadata().getLabels(), Map.<String, String>of())
                                .getOrDefault(PolicyNames.PART_OF, "")
                                .equals(PolicyNames.PART_OF_VALUE));
    }
}
