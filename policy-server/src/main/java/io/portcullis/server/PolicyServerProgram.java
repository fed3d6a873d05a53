package io.portcullis.server;

import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.ProbeServer;
import io.portcullis.process.probe.SelfCheck;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.server.cluster.ClusterSource;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.evaluation.EvaluationEnvironment.Patience;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.PoolLimits;
import io.portcullis.server.http.ApiLimits;
import io.portcullis.server.http.ApiServer;
import io.portcullis.server.http.EvidencePage;
import io.portcullis.server.settings.ClusterSettings;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.server.standalone.StandaloneSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A policy server in this process, all parts wired top to bottom. {@link #start} returns when policies of a file are loaded
 * or have failed; in a cluster it returns at once and {@link #isReady} tells. {@link Drain} ends it without losing a
 * request, {@link #close} at once.
 */
final class PolicyServerProgram implements Drain.Steps, AutoCloseable {

    /**
     * Enough for a watch that goes on after a pause and a policy that is in the cache; webhooks wait ten seconds by default.
     */
    private static final Patience FOR_NEW_GENERATIONS = new Patience(Duration.ofSeconds(2), 64);

    private final AtomicBoolean leaving = new AtomicBoolean();
    private final PolicyEngine engine;
    private final Evaluations evaluations;
    private final PolicySource source;
    private final Optional<ServerTls> tls;
    private final ProbeServer probe;
    private final ApiServer api;

    /** Absent until the port is open; the probes are served before. */
    private volatile Optional<SelfCheck> check = Optional.empty();

    /** The parts, running; not ready before {@link #start} has started the source. */
    private PolicyServerProgram(
            ServerSettings settings, Map<String, String> environment, Metrics metrics, Tracing tracing)
            throws IOException {
        var listen = settings.listen();
        var limits = settings.evaluation();
        tls = listen.tls().map(ServerTls::start);
        engine = PolicyEngine.start(settings, environment, metrics);
        var served = new EvaluationEnvironment(engine.replica().isPresent() ? FOR_NEW_GENERATIONS : Patience.NONE);
        var replica = engine.replica()
                .map(parts -> new ClusterSource(
                        parts, engine.loader(), engine.preparation().quarantine(), served, metrics, Clock.systemUTC()));
        source = replica.<PolicySource>map(each -> each).orElseGet(() -> standalone(settings, engine, served));
        probe = ProbeServer.start(
                new InetSocketAddress(listen.address(), listen.readinessPort()), this::isReady, this::isAlive, metrics);
        evaluations = new Evaluations(
                served,
                new PoolLimits(limits.workers(), limits.queueSize(), limits.policyQueueSize(), limits.queueTimeout()),
                metrics,
                tracing,
                environment.getOrDefault("HOSTNAME", "unknown"),
                limits.acceptedNamespace());
        var token = settings.cluster().flatMap(ClusterSettings::evidenceToken);
        api = new ApiServer(
                new InetSocketAddress(listen.address(), listen.port()),
                tls,
                settings.lifetime().drainTimeout(),
                evaluations,
                source::states,
                replica.flatMap(each ->
                        token.map(file -> new EvidencePage(file, each::evidence, () -> engine.report(each.replica())))),
                new ApiLimits(listen.clients(), limits.maxBodyBytes(), limits.maxTotalBodyBytes()),
                settings.observability().profiling(),
                metrics);
        check = Optional.of(api.startSelfCheck());
    }

    private static PolicySource standalone(ServerSettings settings, PolicyEngine engine, EvaluationEnvironment served) {
        return new StandaloneSource(
                settings.sources().policies(),
                engine.registries().fetcher(settings.sources()),
                engine.loader(),
                served,
                engine.preparation().quarantine()::holds,
                settings.lifetime().failFast(),
                Clock.systemUTC());
    }

    static PolicyServerProgram start(
            ServerSettings settings, Map<String, String> environment, Metrics metrics, Tracing tracing)
            throws IOException, InterruptedException {
        var server = new PolicyServerProgram(settings, environment, metrics, tracing);
        try {
            server.source.start();
            return server;
        } catch (RuntimeException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    boolean isReady() {
        return !leaving.get()
                && source.isReady()
                && check.filter(SelfCheck::isReady).isPresent();
    }

    /** Whether the API port can be reached; a server that starts or leaves is alive. */
    private boolean isAlive() {
        return leaving.get() || check.isEmpty() || check.get().isAlive();
    }

    /** Ends exceptionally when the server cannot do its work and the process is to end. */
    CompletableFuture<Void> failure() {
        return source.failure();
    }

    int apiPort() {
        return api.port();
    }

    int probePort() {
        return probe.port();
    }

    String engineName() {
        return engine.name();
    }

    @Override
    public void becomeUnready() {
        leaving.set(true);
        api.leave();
        source.leave();
    }

    @Override
    public Duration sinceLastRequest() {
        return evaluations.sinceLastRequest();
    }

    @Override
    public void stopAccepting(Duration limit) {
        check.ifPresent(SelfCheck::close);
        api.close(limit);
    }

    @Override
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return evaluations.awaitIdle(limit);
    }

    /** The engine stays: evaluations that ignore their deadline would crash without it, and the process ends anyway. */
    @Override
    public void close() {
        check.ifPresent(SelfCheck::close);
        api.close();
        probe.close();
        source.close();
        engine.preparation().close();
        evaluations.close();
        tls.ifPresent(ServerTls::close);
    }
}
