package io.portcullis.server;

import io.portcullis.api.evidence.ServerReport;
import io.portcullis.capabilities.cluster.ClusterConnection;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.evaluator.host.CachedBackend;
import io.portcullis.evaluator.host.CertificateTrust;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.LiveBackend;
import io.portcullis.evaluator.host.LogQuota;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.loading.CodeBudget;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.runtime.ModuleContext;
import io.portcullis.process.kubernetes.BlockingHttpFactory;
import io.portcullis.process.metrics.Metrics;
import io.portcullis.server.cluster.ClusterParts;
import io.portcullis.server.evaluation.GuestMetrics;
import io.portcullis.server.evaluation.HostCallMetrics;
import io.portcullis.server.evaluation.pool.PoolLimits;
import io.portcullis.server.memory.MemoryLimit;
import io.portcullis.server.memory.MemorySplit;
import io.portcullis.server.memory.ServerMemory;
import io.portcullis.server.preparation.IsolatedPreparation;
import io.portcullis.server.preparation.child.PreparationLimits;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.wasm.EngineLimits;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns references into policies. Combines the module sources, the WebAssembly engine and the host capabilities. */
record PolicyEngine(
        WasmEngine engine,
        WasmPolicyLoader loader,
        Registries registries,
        ClusterConnection cluster,
        Optional<ClusterParts> replica,
        IsolatedPreparation preparation,
        ServerMemory memory)
        implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PolicyEngine.class);

    /** Instances that validate settings during loads. Exceeds the number of loads that can run at the same time. */
    private static final int CONCURRENT_LOADS = 64;

    /** @throws MemorySplit.TooSmallException when the memory limit is too small for the settings */
    static PolicyEngine start(ServerSettings settings, Map<String, String> environment, Metrics metrics) {
        var clock = Clock.systemUTC();
        var split = split(settings.memory());
        log.atInfo().log("memory: {}", split.describe());
        var engine = WasmEngines.best(EngineLimits.forServer(
                split.guestBytes(), settings.evaluation().workers() + PoolLimits.MAX_EXTRA_THREADS + CONCURRENT_LOADS));
        var registries = Registries.of(settings.sources(), environment, clock, metrics);
        var cluster = ClusterConnection.find(environment, new BlockingHttpFactory(), clock);
        var replica = settings.cluster()
                .map(each ->
                        ClusterParts.of(each, cluster.client(), registries.pinnedModules(settings.sources()), clock));
        var compiled = settings.sources().downloadDirectory().resolve(".compiled");
        var preparation = IsolatedPreparation.start(
                limits(split, settings.memory()),
                split.allowsStandbyWhileBusy(),
                engine.fingerprint(),
                quarantineFile(settings, compiled),
                clock,
                metrics);
        var code = new CodeBudget(split.codeBytes());
        var logs = new LogQuota(
                settings.evaluation().policyLogBytesPerMinute(), LogQuota.DEFAULT_LINE_LENGTH, System::nanoTime);
        var limits = new EvaluationLimits(
                new SizeLimits(settings.memory().instance(), SizeLimits.DEFAULT.tableElements()),
                settings.evaluation().timeout(),
                ModuleContext.hostMemory(settings.memory().hostFunctions()));
        var loader = WasmPolicyLoader.forAllExecutionModes(
                engine,
                replica.<CompiledModuleCache>map(ClusterParts::modules).orElseGet(() -> LocalModuleCache.in(compiled)),
                capabilities(registries, cluster, new HostCallMetrics(metrics), clock, logs),
                clock,
                limits,
                settings.evaluation().groupMemberWarnings(),
                Optional.of(preparation),
                code);
        GuestMetrics.register(metrics, engine.guestMemory(), limits.hostMemory(), logs);
        var memory = new ServerMemory(split, engine.guestMemory()::usedBytes, code::usedBytes, preparation::usedBytes);
        memory.register(metrics);
        return new PolicyEngine(engine, loader, registries, cluster, replica, preparation, memory);
    }

    /** Replicas may share their cache, but each has its own quarantine. */
    private static Path quarantineFile(ServerSettings settings, Path compiled) {
        return settings.cluster()
                .map(each -> each.cache()
                        .directory()
                        .resolve("quarantine-" + each.identity().replica() + ".tsv"))
                .orElse(compiled.resolve("quarantine.tsv"));
    }

    private static MemorySplit split(ServerSettings.Memory settings) {
        var heap = Runtime.getRuntime().maxMemory();
        var limit = settings.limit().isPresent() ? settings.limit() : MemoryLimit.ofThisProcess();
        return MemorySplit.of(
                // If nothing reports a limit: the JVM chooses a quarter of the machine's memory as its heap.
                limit.orElse(4 * heap),
                heap,
                Runtime.getRuntime().availableProcessors(),
                new MemorySplit.OperatorLimits(
                        settings.guests(), settings.compiledCode(), settings.preparation(), settings.preparations()));
    }

    private static PreparationLimits limits(MemorySplit split, ServerSettings.Memory settings) {
        return new PreparationLimits(
                split.preparationBytesEach(), settings.preparationTimeout(), split.codeBytes(), split.preparations());
    }

    private static HostCapabilities capabilities(
            Registries registries, ClusterConnection cluster, HostCallObserver observer, Clock clock, LogQuota logs) {
        var images = registries.images();
        var live = new LiveBackend(cluster, images, images, registries.dns(), new CertificateTrust(clock));
        return new GatedHostCapabilities(new CachedBackend(live, clock, observer), PolicyLog.slf4j(), observer, logs);
    }

    /** Creates the report of this replica for the controller. */
    ServerReport report(int replica) {
        return new ServerReport(
                replica,
                memory.split().limitBytes(),
                memory.parts().stream()
                        .map(part -> new ServerReport.MemoryPart(
                                part.name(), part.limitBytes(), part.usedBytes().getAsLong()))
                        .toList(),
                preparation.quarantine().held().stream()
                        .map(entry -> new ServerReport.QuarantinedModule(
                                "sha256:" + entry.digest(), entry.until().toString(), entry.message()))
                        .toList());
    }

    String name() {
        return engine.name();
    }

    @Override
    public void close() {
        preparation.close();
        loader.close();
        cluster.close();
        registries.close();
        engine.close();
    }
}
