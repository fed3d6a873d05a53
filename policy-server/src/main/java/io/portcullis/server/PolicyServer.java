package io.portcullis.server;

import io.portcullis.process.cli.FailureException;
import io.portcullis.process.files.FileWatch;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.probe.ProbeServer;
import io.portcullis.process.signals.Drain;
import io.portcullis.process.telemetry.Tracing;
import io.portcullis.process.tls.ServerTls;
import io.portcullis.server.evaluation.EvaluationEnvironment;
import io.portcullis.server.evaluation.Evaluations;
import io.portcullis.server.evaluation.PoolLimits;
import io.portcullis.server.http.ApiLimits;
import io.portcullis.server.http.ApiServer;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.server.standalone.StandaloneSource;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A policy server in this process, all parts wired top to bottom. {@link #start} returns when it is ready: every policy
 * is loaded or has failed. {@link Drain} ends it without losing a request, {@link #close} at once.
 */
final class PolicyServer implements Drain.Steps, AutoCloseable {

    private final AtomicBoolean ready = new AtomicBoolean();
    private final PolicyEngine engine;
    private final Evaluations evaluations;
    private final StandaloneSource source;
    private final Optional<ServerTls> tls;
    private final ProbeServer probe;
    private final ApiServer api;

    /** The parts, running; not ready before {@link #load}. */
    private PolicyServer(ServerSettings settings, Map<String, String> environment, Metrics metrics, Tracing tracing)
            throws IOException {
        var listen = settings.listen();
        var limits = settings.evaluation();
        tls = listen.tls().map(ServerTls::start);
        probe = ProbeServer.start(new InetSocketAddress(listen.address(), listen.readinessPort()), ready::get, metrics);
        engine = PolicyEngine.start(settings, environment, metrics);
        var served = new EvaluationEnvironment();
        source = new StandaloneSource(
                settings.sources().policies(), engine.fetcher(), engine.loader(), served, Clock.systemUTC());
        evaluations = new Evaluations(
                served,
                new PoolLimits(limits.workers(), limits.queueSize(), limits.queueTimeout()),
                metrics,
                tracing,
                environment.getOrDefault("HOSTNAME", "unknown"),
                limits.acceptedNamespace());
        api = new ApiServer(
                new InetSocketAddress(listen.address(), listen.port()),
                tls,
                settings.lifetime().drainTimeout(),
                evaluations,
                source.policies()::states,
                new ApiLimits(limits.maxBodyBytes(), settings.observability().profiling()));
    }

    static PolicyServer start(
            ServerSettings settings, Map<String, String> environment, Metrics metrics, Tracing tracing)
            throws IOException, InterruptedException {
        var server = new PolicyServer(settings, environment, metrics, tracing);
        try {
            server.load(settings.lifetime().failFast());
            return server;
        } catch (RuntimeException | InterruptedException e) {
            server.close();
            throw e;
        }
    }

    private void load(boolean failFast) throws InterruptedException {
        source.load();
        if (failFast && !source.failures().isEmpty()) {
            throw new FailureException(source.failures().getFirst(), null);
        }
        source.follow(FileWatch.POLL);
        ready.set(true);
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
        ready.set(false);
    }

    @Override
    public void stopAccepting() {
        api.close();
    }

    @Override
    public boolean awaitIdle(Duration limit) throws InterruptedException {
        return evaluations.awaitIdle(limit);
    }

    /** The engine stays: evaluations that ignore their deadline would crash without it, and the process ends anyway. */
    @Override
    public void close() {
        api.close();
        probe.close();
        source.close();
        evaluations.close();
        tls.ifPresent(ServerTls::close);
    }
}
