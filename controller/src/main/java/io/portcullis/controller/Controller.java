package io.portcullis.controller;

import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.portcullis.controller.admission.AdmissionServer;
import io.portcullis.controller.admission.Admissions;
import io.portcullis.controller.admission.ClientAuthorities;
import io.portcullis.controller.certificates.Certificates;
import io.portcullis.controller.cleanup.Cleanup;
import io.portcullis.controller.cluster.ClusterView;
import io.portcullis.controller.leader.ControllerLeadership;
import io.portcullis.controller.policy.PolicyControl;
import io.portcullis.controller.policyserver.PolicyServerReconciler;
import io.portcullis.controller.policyserver.PolicyServerWatches;
import io.portcullis.controller.policyserver.ServerDefaults;
import io.portcullis.controller.queue.WorkQueue;
import io.portcullis.controller.settings.ControllerSettings;
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
 * A controller in this process, all parts wired top to bottom. Every replica watches and serves the webhooks of our own
 * resources; only the leader acts. Ready when it has seen the cluster and has a certificate to serve with.
 */
final class Controller implements Drain.Steps, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Controller.class);

    private final ClusterView view;
    private final Certificates certificates;
    private final SwappableTls tls;
    private final Optional<ClientAuthorities> clients;
    private final List<ProbeServer> probes = new ArrayList<>();
    private final AdmissionServer admission;

    /** Absent until the port is open; the probes are served before. */
    private volatile Optional<SelfCheck> check = Optional.empty();

    private final PolicyControl policyControl;
    private final WorkQueue<String> policyServers;
    private final List<AutoCloseable> leading = new ArrayList<>();
    private volatile Optional<ControllerLeadership> leadership = Optional.empty();
    private final AtomicBoolean isNamespaceLeft = new AtomicBoolean();
    private volatile boolean leaving;

    /** The parts, listening; nothing is watched before {@link #follow}. */
    private Controller(ControllerSettings settings, KubernetesClient client, Metrics metrics) throws IOException {
        var namespace = settings.namespace();
        var listen = settings.listen();
        var policies = settings.policies();
        view = new ClusterView(client, namespace);
        certificates = new Certificates(
                client,
                view,
                new Certificates.Place(namespace, listen.webhookService(), settings.settling()),
                metrics,
                Clock.systemUTC(),
                new SecureRandom());
        tls = new SwappableTls(settings.workloads().clientCa().isPresent());
        clients = settings.workloads()
                .clientCa()
                .map(configMap -> new ClientAuthorities(client, namespace, configMap, tls));
        certificates.onServing(this::serveWith);
        certificates.onBundle(bundle -> clients.ifPresent(authorities -> authorities.own(bundle)));
        policyControl = new PolicyControl(
                settings.policySettings(),
                view,
                client,
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
        check = Optional.of(admission.startSelfCheck());
        view.namespaces().onChange((_, after) -> {
            if (after != null
                    && after.getMetadata().getName().equals(namespace)
                    && after.getMetadata().getDeletionTimestamp() != null) {
                leaveNamespace(client, namespace);
            }
        });
    }

    /** Removes all webhooks once, because the namespace and all policy servers in it are being deleted. */
    private void leaveNamespace(KubernetesClient client, String namespace) {
        if (!isNamespaceLeft.getAndSet(true)) {
            Thread.ofPlatform().name("leave-namespace").start(() -> {
                log.atWarn()
                        .addKeyValue("namespace", namespace)
                        .log("the namespace is being deleted, removing all webhooks");
                stopLeading();
                try {
                    Cleanup.leaveNamespace(client, namespace);
                } catch (KubernetesClientException e) {
                    log.atError()
                            .addKeyValue("error", e.getMessage())
                            .log("cleanup failed, Kubernetes removes the webhooks together with the namespace");
                }
            });
        }
    }

    /** Idle until this process leads. */
    private WorkQueue<String> policyServers(KubernetesClient client, ServerDefaults settings) {
        var reconciler = new PolicyServerReconciler(
                client,
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
     * Starts all parts; returns when the cluster has been seen.
     *
     * @param identity of this process among its rivals
     * @param onLeaseLost called when another controller may be the leader; then this one has to end
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
            controller.follow();
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

    private void follow() {
        view.start();
        clients.ifPresent(ClientAuthorities::start);
    }

    /** What only the leader does. Reconcilers are started here: each is a WorkQueue that is closed at the end. */
    private void lead() {
        synchronized (leading) {
            if (!leaving) {
                leading.add(certificates.startRotation());
                leading.add(policyServers);
                leading.add(policyControl);
                policyControl.start();
                view.policyServers()
                        .all()
                        .forEach(
                                server -> policyServers.add(server.getMetadata().getName()));
            }
        }
    }

    private boolean isLeading() {
        synchronized (leading) {
            return !leading.isEmpty();
        }
    }

    /** What the API server takes this process for. */
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
            log.atError().addKeyValue("error", e.getMessage()).log("webhook certificate not taken, the old one stays");
        }
    }

    private boolean isReady() {
        return !leaving
                && view.hasSynced()
                && tls.isReady()
                && check.filter(SelfCheck::isReady).isPresent();
    }

    /** Whether the webhook port can be reached; a controller that starts, leaves or has no certificate yet is alive. */
    private boolean isAlive() {
        return leaving || !tls.isReady() || check.isEmpty() || check.get().isAlive();
    }

    int webhookPort() {
        return admission.port();
    }

    @Override
    public void becomeUnready() {
        leaving = true;
        admission.leave();
    }

    @Override
    public Duration sinceLastRequest() {
        return admission.sinceLastRequest();
    }

    @Override
    public void stopAccepting(Duration limit) {
        check.ifPresent(SelfCheck::close);
        stopLeading();
        admission.close(limit);
    }

    @Override
    public boolean awaitIdle(Duration limit) {
        return true; // closing the server has waited for its requests
    }

    private void stopLeading() {
        synchronized (leading) {
            leaving = true;
            leading.forEach(Controller::closeQuietly);
            leading.clear();
        }
        leadership.ifPresent(ControllerLeadership::close);
        leadership = Optional.empty();
    }

    private static void closeQuietly(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            log.atWarn().addKeyValue("error", e).log("cannot be closed");
        }
    }

    @Override
    public void close() {
        check.ifPresent(SelfCheck::close);
        stopLeading();
        admission.close();
        probes.forEach(ProbeServer::close);
        clients.ifPresent(ClientAuthorities::close);
        view.close();
    }
}
