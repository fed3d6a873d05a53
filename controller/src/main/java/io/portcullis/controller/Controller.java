package io.portcullis.controller;

import io.fabric8.kubernetes.api.model.EventSource;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.controller.admission.http.AdmissionServer;
import io.portcullis.controller.admission.http.ClientAuthorities;
import io.portcullis.controller.admission.rules.Admissions;
import io.portcullis.controller.certificates.Certificates;
import io.portcullis.controller.cleanup.Cleanup;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.leader.ControllerLeadership;
import io.portcullis.controller.policy.PolicyControl;
import io.portcullis.controller.policyserver.PolicyServerReconciler;
import io.portcullis.controller.policyserver.PolicyServerWatches;
import io.portcullis.controller.policyserver.spec.ServerDefaults;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.controller.settings.ControllerSettings;
import io.portcullis.process.kubernetes.EventWriter;
import io.portcullis.process.kubernetes.EventWriter.Repetition;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.ProbeServer;
import io.portcullis.process.probe.SelfCheck;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.tls.SwappableTls;
import io.portcullis.process.tls.TlsException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.KeyManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A controller in this process, with all its parts. Every replica watches and serves the webhooks of our own resources;
 * only the leader reconciles. The controller is ready when its caches have synced and it has a serving certificate.
 */
final class Controller implements Drain.Steps, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    private final ClusterView view;
    private final Certificates certificates;
    private final SwappableTls tls;
    private final Optional<ClientAuthorities> clientAuthorities;
    private final List<ProbeServer> probes = new ArrayList<>();
    private final AdmissionServer admission;

    /** Absent until the port is open; the probe servers start earlier. */
    private volatile Optional<SelfCheck> selfCheck = Optional.empty();

    private final PolicyControl policyControl;
    private final WorkQueue<String> policyServers;
    private final EventWriter events;
    private final List<AutoCloseable> leaderParts = new ArrayList<>();
    private volatile Optional<ControllerLeadership> leadership = Optional.empty();
    private final AtomicBoolean isRemovingWebhooks = new AtomicBoolean();
    private volatile boolean isStopping;

    /** Creates the parts and opens the ports; watches start in {@link #startWatches}. */
    private Controller(ControllerSettings settings, KubernetesClient client, Metrics metrics) throws IOException {
        var namespace = settings.namespace();
        var listen = settings.listen();
        var policies = settings.policies();
        view = new ClusterView(client, namespace);
        events = new EventWriter(
                client, new EventSource("kubewarden-controller", null), Repetition.COUNTED, Clock.systemUTC());
        certificates = new Certificates(
                client,
                events,
                view,
                new Certificates.Place(namespace, listen.webhookService(), settings.settling()),
                metrics,
                Clock.systemUTC(),
                new SecureRandom());
        tls = new SwappableTls(settings.workloads().clientCa().isPresent());
        clientAuthorities = settings.workloads()
                .clientCa()
                .map(configMap -> new ClientAuthorities(client, namespace, configMap, tls));
        certificates.onServing(this::serveWith);
        certificates.onBundle(bundle -> clientAuthorities.ifPresent(authorities -> authorities.own(bundle)));
        policyControl = new PolicyControl(
                settings.policySettings(),
                view,
                client,
                events,
                () -> certificates.caBundle().map(Controller::base64),
                settings.workloads().clientCa().isPresent() ? certificates::clientKeys : () -> new KeyManager[0],
                metrics,
                Clock.systemUTC());
        certificates.onBundle(_ -> policyControl.authorityChanged());
        policyServers = policyServers(client, settings.serverSettings(userOf(client)));
        metrics.gauge(
                "kubewarden_controller_leader", "Whether this controller is the leader", () -> isLeading() ? 1 : 0);
        if (listen.health().isPresent()) {
            probes.add(ProbeServer.health(listen.health().get(), this::isReady, this::isAlive));
        }
        if (listen.metrics().isPresent()) {
            probes.add(ProbeServer.metrics(listen.metrics().get(), metrics));
        }
        admission = new AdmissionServer(
                new InetSocketAddress(listen.webhookPort()),
                tls,
                new Admissions(
                        client,
                        view,
                        new Admissions.Rules(
                                namespace,
                                policies.scheme(),
                                policies.acceptsAllInside(),
                                policies.keepsDefaultServer(),
                                userOf(client))),
                metrics);
        selfCheck = Optional.of(admission.startSelfCheck());
        view.namespaces().onChange((_, after) -> {
            if (after != null
                    && after.getMetadata().getName().equals(namespace)
                    && after.getMetadata().getDeletionTimestamp() != null) {
                removeWebhooks(client, namespace);
            }
        });
    }

    /** Removes all webhooks once, because the namespace and all policy servers in it are being deleted. */
    private void removeWebhooks(KubernetesClient client, String namespace) {
        if (!isRemovingWebhooks.getAndSet(true)) {
            Thread.ofPlatform().name("leave-namespace").start(() -> {
                log.atWarn()
                        .addKeyValue("namespace", namespace)
                        .log("the namespace is being deleted, removing all webhooks");
                stopLeading();
                try {
                    Cleanup.runForDeletedNamespace(client, namespace);
                } catch (KubernetesClientException e) {
                    log.atError()
                            .addKeyValue("error", e.getMessage())
                            .log("cleanup failed, Kubernetes removes the webhooks together with the namespace");
                }
            });
        }
    }

    /** Creates the queue; it is idle until this process leads. */
    private WorkQueue<String> policyServers(KubernetesClient client, ServerDefaults settings) {
        var reconciler = new PolicyServerReconciler(
                client,
                events,
                view,
                settings,
                certificates.policyServerSecrets()::ensure,
                certificates::caBundle,
                Clock.systemUTC());
        var queue = new WorkQueue<String>(
                "policy-servers",
                WorkQueue.Pace.USUAL,
                name -> isLeading() && view.hasSynced() ? reconciler.reconcile(name) : Optional.empty());
        PolicyServerWatches.connect(view, settings, queue);
        return queue;
    }

    private static String base64(String pem) {
        return Base64.getEncoder().encodeToString(pem.getBytes(StandardCharsets.US_ASCII));
    }

    /**
     * Starts all parts; returns when the caches have synced.
     *
     * @param identity of this process in the leader election
     * @param onLeaseLost called when another controller may be the leader; then this process must exit
     */
    static Controller start(
            ControllerSettings settings,
            KubernetesClient client,
            Metrics metrics,
            String identity,
            Runnable onLeaseLost)
            throws IOException {
        var controller = new Controller(settings, client, metrics);
        try {
            controller.startWatches();
            if (settings.electsLeader()) {
                controller.leadership = Optional.of(new ControllerLeadership(
                        client, settings.namespace(), identity, controller::lead, onLeaseLost));
            } else {
                controller.lead();
            }
            return controller;
        } catch (RuntimeException e) {
            controller.close();
            throw e;
        }
    }

    private void startWatches() {
        view.start();
        clientAuthorities.ifPresent(ClientAuthorities::start);
    }

    /** Starts everything that only the leader does. Each reconciler is a WorkQueue that is closed at the end. */
    private void lead() {
        synchronized (leaderParts) {
            if (!isStopping) {
                leaderParts.add(certificates.startRotation());
                leaderParts.add(policyServers);
                leaderParts.add(policyControl);
                policyControl.start();
                view.policyServers()
                        .all()
                        .forEach(
                                server -> policyServers.add(server.getMetadata().getName()));
            }
        }
    }

    private boolean isLeading() {
        synchronized (leaderParts) {
            return !leaderParts.isEmpty();
        }
    }

    /** The user name of this process at the API server. */
    private static String userOf(KubernetesClient client) {
        return client.resource(new SelfSubjectReview())
                .create()
                .getStatus()
                .getUserInfo()
                .getUsername();
    }

    private void serveWith(Certificates.Serving serving) {
        try {
            tls.show("Secret " + serving.secret(), serving.certificatePem(), serving.keyPem());
        } catch (TlsException e) {
            log.atError()
                    .addKeyValue("error", e.getMessage())
                    .log("cannot use the webhook certificate, keeping the old one");
        }
    }

    private boolean isReady() {
        return !isStopping
                && view.hasSynced()
                && tls.isReady()
                && selfCheck.filter(SelfCheck::isReady).isPresent();
    }

    /**
     * Whether the webhook port is reachable. A controller that starts, stops or has no certificate yet counts as alive.
     */
    private boolean isAlive() {
        return isStopping
                || !tls.isReady()
                || selfCheck.isEmpty()
                || selfCheck.get().isAlive();
    }

    int webhookPort() {
        return admission.port();
    }

    @Override
    public void becomeUnready() {
        isStopping = true;
        admission.startDrain();
    }

    @Override
    public Duration sinceLastRequest() {
        return admission.sinceLastRequest();
    }

    @Override
    public void stopAccepting(Duration limit) {
        selfCheck.ifPresent(SelfCheck::close);
        stopLeading();
        admission.close(limit);
    }

    @Override
    public boolean awaitIdle(Duration limit) {
        return true; // closing the server has waited for its requests
    }

    private void stopLeading() {
        synchronized (leaderParts) {
            isStopping = true;
            leaderParts.forEach(Controller::closeQuietly);
            leaderParts.clear();
        }
        events.close();
        leadership.ifPresent(ControllerLeadership::close);
        leadership = Optional.empty();
    }

    private static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            log.atWarn().addKeyValue("error", e).log("cannot close a part of the controller");
        }
    }

    @Override
    public void close() {
        selfCheck.ifPresent(SelfCheck::close);
        stopLeading();
        admission.close();
        probes.forEach(ProbeServer::close);
        clientAuthorities.ifPresent(ClientAuthorities::close);
        view.close();
    }
}
