package io.portcullis.server;

import io.portcullis.artifacts.ModuleFetcher;
import io.portcullis.artifacts.PolicyFetcher;
import io.portcullis.artifacts.PolicyVerification;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.DockerConfig;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.Sources;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.verify.ConfiguredVerification;
import io.portcullis.artifacts.verify.ImageVerifier;
import io.portcullis.artifacts.verify.TrustRootSource;
import io.portcullis.artifacts.verify.VerificationConfigFile;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.server.settings.ServerSettings;
import io.portcullis.wasm.Limits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.WasmEngines;
import java.nio.file.Path;
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
        var transport = new Transport(sources.sources()
                .map(file -> Sources.load(file, environment))
                .orElseGet(() -> Sources.fromEnvironment(environment)));
        var registry = new RegistryClient(
                transport, DockerConfig.load(sources.dockerConfig(), environment), Clock.systemUTC());
        var artifacts = new PolicyArtifacts(registry);
        return new PolicyFetcher(
                transport,
                artifacts,
                new PolicyStore(sources.downloadDirectory()),
                sources.verification().map(file -> verification(file, sources.sigstore(), registry, artifacts)),
                PolicyFetcher.DEFAULT_LIMIT);
    }

    /** Without a trust root keyless signatures fail; those by key are judged all the same. */
    private static PolicyVerification verification(
            Path file, ServerSettings.Sigstore sigstore, RegistryClient registry, PolicyArtifacts artifacts) {
        var trust = sigstore.trustConfig().map(TrustRootSource::file).orElse(TrustRootSource.NONE);
        return new ConfiguredVerification(
                new ImageVerifier(registry, trust, Clock.systemUTC()), artifacts, VerificationConfigFile.load(file));
    }

    private static PolicyLoader loader(WasmEngine engine, ServerSettings settings) {
        HostCapabilities capabilities = call -> {
            throw new HostCallException("host capability " + call.namespace() + "/" + call.operation()
                    + " is not available in a standalone server");
        };
        return new WasmPolicyLoader(
                engine,
                LocalModuleCache.in(settings.sources().downloadDirectory().resolve(".compiled")),
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
