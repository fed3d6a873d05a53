package io.portcullis.server;

import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.ProbeServer;
import io.portcullis.process.probe.SelfCheck;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.server.cluster.ClusterSource;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.pool.PoolLimits;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment;
import io.portcullis.server.evaluation.routing.EvaluationEnvironment.GenerationWait;
import io.portcullis.server.http.ApiLimits;
import io.portcullis.server.http.ApiServer;
import io.portcullis.server.http.BearerToken;
import io.portcullis.server.http.EvidencePage;
import io.portcullis.server.http.ModulesPage;
import io.portcullis.server.settings.ClusterSettings;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.server.source.PolicySource;
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
 * A policy server in this process; wires all its parts. With a policies file, {@link #start} returns when the policies are
 * loaded or have failed. In a cluster it returns at once, and {@link #isReady} becomes true later. {@link Drain} stops the
 * server without losing a request, {@link #close} stops it at once.
 */
final class PolicyServerProgram implements Drain.Steps, AutoCloseable {

    /** Enough to resume a watch and load a cached policy. Webhooks wait ten seconds by default. */
    private static final GenerationWait NEW_GENERATION_WAIT = new GenerationWait(Duration.ofSeconds(2), 64);

    private final AtomicBoolean draining = new AtomicBoolean();
    private final PolicyEngine engine;
    private final Evaluations evaluations;
    private final PolicySource source;
    private final Optional<ServerTls> tls;
    private final ProbeServer probe;
    private final ApiServer api;

    /** Empty until the API port is open. The probe server starts earlier. */
    private volatile Optional<SelfCheck> check = Optional.empty();

    /** Starts all parts except the source, which {@link #start} starts. The server is not ready before that. */
    private PolicyServerProgram(
            ServerSettings settings, Map<String, String> environment, Metrics metrics, Tracing tracing)
            throws IOException {
        var listen = settings.listen();
        var limits = settings.evaluation();
        tls = listen.tls().map(ServerTls::start);
        engine = PolicyEngine.start(settings, environment, metrics);
        var served =
                new EvaluationEnvironment(engine.replica().isPresent() ? NEW_GENERATION_WAIT : GenerationWait.NONE);
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
        var token = settings.cluster().flatMap(ClusterSettings::evidenceToken).map(BearerToken::new);
        api = new ApiServer(
                new InetSocketAddress(listen.address(), listen.port()),
                tls,
                settings.lifetime().drainTimeout(),
                evaluations,
                source::states,
                replica.flatMap(each -> token.map(
                        value -> new EvidencePage(value, each::evidence, () -> engine.report(each.replica())))),
                engine.replica()
                        .flatMap(parts -> token.map(value -> new ModulesPage(value, parts.modules()::open, metrics))),
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
        return !draining.get()
                && source.isReady()
                && check.filter(SelfCheck::isReady).isPresent();
    }

    /** Whether the API port is reachable. A server that is starting or draining counts as alive. */
    private boolean isAlive() {
        return draining.get() || check.isEmpty() || check.get().isAlive();
    }

    /** Completes exceptionally when the server cannot work and the process must exit. */
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
        draining.set(true);
        api.drainConnections();
        source.prepareShutdown();
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

    /**
     * Closes everything but the engine. Evaluations that ignore their deadline would crash without it, and the process exits
     * anyway.
     */
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
