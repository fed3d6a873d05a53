package io.portcullis.controller.certificates;

import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.portcullis.api.policy.PolicyNames;
import io.portcullis.controller.certificates.authority.AuthorityTrust;
import io.portcullis.controller.certificates.authority.CertificateAuthority;
import io.portcullis.controller.certificates.authority.WebhookTrust;
import io.portcullis.controller.certificates.leaf.LeafSecrets;
import io.portcullis.controller.certificates.leaf.PolicyServerSecrets;
import io.portcullis.controller.certificates.plan.CertificateMaker;
import io.portcullis.controller.certificates.secrets.AuthoritySecret;
import io.portcullis.controller.certificates.secrets.LeafSecret;
import io.portcullis.controller.certificates.secrets.SecretReader;
import io.portcullis.controller.certificates.secrets.SecretStore;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.queue.OnlyKey;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.process.kubernetes.EventWriter;
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

/** The installation's certificates: the entry point of this package for the rest of the controller. */
public final class Certificates {

    private final ClusterView view;
    private final String namespace;
    private final LeafSecret webhookServer;
    private final PolicyServerSecrets policyServerSecrets;
    private final WebhookTrust webhooks;
    private final CertificateRotation rotation;
    /** The latest CA bundle, cached because it is read many times between two changes. */
    private volatile @Nullable CachedBundle cachedBundle;

    private record CachedBundle(Optional<Secret> secret, Optional<String> bundle) {}

    /**
     * @param webhookService of the controller's own webhooks
     * @param settling how long after a change of the authority its certificates are used
     */
    public record Place(String namespace, String webhookService, Duration settling) {}

    /** A certificate to serve with. */
    public record Serving(String secret, String certificatePem, String keyPem) {

        /** Omits the key. */
        @Override
        public String toString() {
            return "Serving[" + secret + "]";
        }
    }

    /** Registers listeners with the view; must be called before the view starts. */
    public Certificates(
            KubernetesClient client,
            EventWriter events,
            ClusterView view,
            Place place,
            Metrics metrics,
            Clock clock,
            SecureRandom random) {
        this.view = view;
        this.namespace = place.namespace();
        this.webhookServer = LeafSecret.ofWebhooks(place.webhookService(), namespace);
        var store = new SecretStore(client, view, namespace);
        var maker = new CertificateMaker(clock, random);
        var authority = new CertificateAuthority(store, maker, clock);
        this.webhooks = new WebhookTrust(client, view, namespace, place.webhookService());
        var leaves = new LeafSecrets(store, maker, new AuthorityTrust(webhooks, clock, place.settling()), clock);
        policyServerSecrets = new PolicyServerSecrets(store, authority, leaves, events, random);
        rotation = new CertificateRotation(
                view,
                authority,
                webhooks,
                leaves,
                List.of(webhookServer, LeafSecret.ofAuditScanner()),
                policyServerSecrets);
        view.secrets().onChange(new CertificateMetrics(metrics, clock)::changed);
    }

    /**
     * All trusted CA certificates, in PEM: the current authority, then its predecessor. Empty until there is an
     * authority.
     */
    public Optional<String> caBundle() {
        var secret = view.secrets().get(namespace, AuthoritySecret.NAME);
        var current = cachedBundle;
        if (current == null || !current.secret().equals(secret)) {
            current = new CachedBundle(secret, new AuthoritySecret(secret).bundle());
            cachedBundle = current;
        }
        return current.bundle();
    }

    public PolicyServerSecrets policyServerSecrets() {
        return policyServerSecrets;
    }

    /** Calls the listener with the serving certificate of the controller's own webhooks, now and after each change. */
    public void onServing(Consumer<Serving> listener) {
        view.secrets().onChange((before, after) -> {
            if (after != null && after.getMetadata().getName().equals(webhookServer.name())) {
                listener.accept(serving(after));
            }
        });
    }

    /** The client certificate for policy servers that require one; empty while the controller has none. */
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

    /** Calls the listener with all trusted CA certificates, after each change. */
    public void onBundle(Consumer<String> listener) {
        view.secrets().onChange((before, after) -> {
            if (after != null && after.getMetadata().getName().equals(AuthoritySecret.NAME)) {
                new AuthoritySecret(Optional.of(after)).bundle().ifPresent(listener);
            }
        });
    }

    /** Starts to create, check and rotate certificates, until the queue is closed. Only the leader calls this. */
    public WorkQueue<OnlyKey> startRotation() {
        var queue = new WorkQueue<>("certificates", WorkQueue.Pace.USUAL, rotation);
        view.secrets().onChange((before, after) -> {
            if (isCertificateSecret(before) || isCertificateSecret(after)) {
                queue.add(OnlyKey.ONLY);
            }
        });
        // The policy reconciler handles the webhooks of policies; a rotation that waits for them rechecks on its own.
        view.validatingWebhooks().onChange((before, after) -> {
            if (webhooks.isOwn(before) || webhooks.isOwn(after)) {
                queue.add(OnlyKey.ONLY);
            }
        });
        view.mutatingWebhooks().onChange((before, after) -> {
            if (webhooks.isOwn(before) || webhooks.isOwn(after)) {
                queue.add(OnlyKey.ONLY);
            }
        });
        queue.add(OnlyKey.ONLY);
        return queue;
    }

    /** Whether the Secret is ours: the authority by its name, others by their label. */
    private static boolean isCertificateSecret(@Nullable Secret secret) {
        return secret != null
                && (secret.getMetadata().getName().equals(AuthoritySecret.NAME)
                        || Objects.requireNonNullElse(secret.getMetadata().getLabels(), Map.<String, String>of())
                                .getOrDefault(PolicyNames.PART_OF, "")
                                .equals(PolicyNames.PART_OF_VALUE));
    }
}
