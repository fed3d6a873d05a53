package io.portcullis.server;

import io.portcullis.capabilities.cluster.ClusterConnection;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.evaluator.host.CachedBackend;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.JdkCertificateTrust;
import io.portcullis.evaluator.host.LiveBackend;
import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.process.kubernetes.BlockingHttpFactory;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.cluster.ClusterParts;
import io.portcullis.server.evaluation.GuestMetrics;
import io.portcullis.server.evaluation.HostCallMetrics;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.wasm.Limits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.WasmEngines;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** What turns references into policies: where modules come from, what runs them, and what they may ask of the world. */
record PolicyEngine(
        WasmEngine engine,
        WasmPolicyLoader loader,
        Registries registries,
        ClusterConnection cluster,
        Optional<ClusterParts> replica)
        implements AutoCloseable {

    static PolicyEngine start(ServerSettings settings, Map<String, String> environment, Metrics metrics) {
        var clock = Clock.systemUTC();
        var engine = WasmEngines.best();
        var registries = Registries.of(settings.sources(), environment, clock, metrics);
        var cluster = ClusterConnection.find(environment, new BlockingHttpFactory(), clock);
        var replica = settings.cluster()
                .map(each ->
                        ClusterParts.of(each, cluster.client(), registries.pinnedModules(settings.sources()), clock));
        var logs = new LogQuota(
                settings.evaluation().policyLogBytesPerMinute(), LogQuota.DEFAULT_LINE_LENGTH, System::nanoTime);
        var limits = new EvaluationLimits(Limits.DEFAULT, settings.evaluation().timeout());
        var loader = WasmPolicyLoader.ofEveryKind(
                engine,
                replica.<CompiledModuleCache>map(ClusterParts::modules)
                        .orElseGet(() -> LocalModuleCache.in(
                                settings.sources().downloadDirectory().resolve(".compiled"))),
                capabilities(registries, cluster, new HostCallMetrics(metrics), clock, logs),
                clock,
                limits);
        GuestMetrics.register(metrics, engine.guestMemory(), limits.hostMemory(), logs);
        return new PolicyEngine(engine, loader, registries, cluster, replica);
    }

    private static HostCapabilities capabilities(
            Registries registries, ClusterConnection cluster, HostCallObserver observer, Clock clock, LogQuota logs) {
        var images = registries.images();
        var live = new LiveBackend(cluster, images, images, registries.dns(), new JdkCertificateTrust(clock));
        return new GatedHostCapabilities(new CachedBackend(live, clock, observer), PolicyLog.slf4j(), observer, logs);
    }

    String name() {
        return engine.name();
    }

    @Override
    public void close() {
        loader.close();
        cluster.close();
        registries.close();
        engine.close();
    }
}
