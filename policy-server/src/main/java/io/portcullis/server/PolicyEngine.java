package io.portcullis.server;

import io.portcullis.artifacts.ModuleFetcher;
import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.DockerConfig;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.process.cli.FailureException;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.wasm.Limits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.WasmEngines;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;

/** What turns references into policies: where modules come from, and what runs them. */
record PolicyEngine(WasmEngine engine, ModuleFetcher fetcher, PolicyLoader loader) implements AutoCloseable {

    static PolicyEngine start(ServerSettings settings, Map<String, String> environment) {
        var engine = WasmEngines.best();
        return new PolicyEngine(engine, fetcher(settings.sources(), environment), loader(engine, settings));
    }

    private static ModuleFetcher fetcher(ServerSettings.Sources sources, Map<String, String> environment) {
        if (sources.verification().isPresent()) {
            throw new FailureException("verification of signatures is not in this build", null);
        }
        var transport = new Transport(sources.sources()
                .map(file -> Sources.load(file, environment))
                .orElseGet(() -> Sources.fromEnvironment(environment)));
        var registry = new RegistryClient(
                transport, DockerConfig.load(sources.dockerConfig(), environment), Clock.systemUTC());
        return new PolicyFetcher(
                transport,
                new PolicyArtifacts(registry),
                new PolicyStore(sources.downloadDirectory()),
                Optional.empty(),
                PolicyFetcher.DEFAULT_LIMIT);
    }

    private static PolicyLoader loader(WasmEngine engine, ServerSettings settings) {
        HostCapabilities capabilities = call -> {
            throw new HostCallException("host capability " + call.namespace() + "/" + call.operation()
                    + " is not available in a standalone server");
        };
        return new WasmPolicyLoader(
                engine,
                CompiledModuleCache.NONE,
                Map.of(ExecutionMode.KUBEWARDEN_WAPC, new WapcRuntime(capabilities)),
                (id, _, _) -> {
                    throw new PolicyLoadException(
                            PolicyLoadException.Reason.INVALID_EXPRESSION,
                            "policy groups are not in this build: " + id,
                            null);
                },
                _ -> Optional.empty(),
                new EvaluationLimits(Limits.DEFAULT, settings.evaluation().timeout()));
    }

    String name() {
        return engine.name();
    }

    @Override
    public void close() {
        loader.close();
        engine.close();
    }
}
