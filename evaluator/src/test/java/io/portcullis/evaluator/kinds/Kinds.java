package io.portcullis.evaluator.kinds;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.ContextAwareResource;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.EvaluationRequest;
import io.portcullis.evaluator.EvaluationRequest.GroupVersionName;
import io.portcullis.evaluator.LoadedPolicy;
import io.portcullis.evaluator.PolicyLoader;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.GatedHostCapabilities;
import io.portcullis.evaluator.host.HostBackend;
import io.portcullis.evaluator.host.HostCallObserver;
import io.portcullis.evaluator.host.PolicyLog;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.rego.BuiltinErrors;
import io.portcullis.evaluator.rego.RegoDialect;
import io.portcullis.evaluator.rego.RegoRuntime;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.evaluator.wasi.WasiRuntime;
import io.portcullis.wasm.WasmEngine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Creates the evaluator as programs do, on one engine and one backend, and loads the sample policies by name. */
public final class Kinds {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Path POLICIES = Path.of("..", "policies");

    /** Compiles large modules once per test run. */
    private static final CompiledModuleCache CACHE = new CompiledModuleCache() {
        private final Map<String, byte[]> compiled = new ConcurrentHashMap<>();

        @Override
        public Optional<byte[]> find(String digest, String fingerprint) {
            return Optional.ofNullable(compiled.get(digest + fingerprint));
        }

        @Override
        public void store(String digest, String fingerprint, byte[] module) {
            compiled.put(digest + fingerprint, module);
        }
    };

    private final PolicyLoader loader;

    public Kinds(WasmEngine engine, HostBackend backend) {
        this(engine, backend, EvaluationLimits.DEFAULT);
    }

    public Kinds(WasmEngine engine, HostBackend backend, EvaluationLimits limits) {
        var host = new GatedHostCapabilities(backend, PolicyLog.slf4j(), HostCallObserver.none());
        var clock = Clock.systemUTC();
        Map<ExecutionMode, PolicyRuntime> runtimes = Map.of(
                ExecutionMode.KUBEWARDEN_WAPC, new WapcRuntime(host),
                ExecutionMode.WASI, new WasiRuntime(host),
                ExecutionMode.OPA, new RegoRuntime(RegoDialect.OPA, host, BuiltinErrors.REJECT, clock),
                ExecutionMode.GATEKEEPER, new RegoRuntime(RegoDialect.GATEKEEPER, host, BuiltinErrors.REJECT, clock));
        this.loader = new WasmPolicyLoader(engine, CACHE, runtimes, limits);
    }

    public LoadedPolicy load(String policy, String settings, ContextAwareResource... grants) {
        var entry =
                new PolicyEntry.Single(module(policy, settings, grants), PolicyMode.PROTECT, true, Optional.empty());
        return load(policy, entry);
    }

    public LoadedPolicy load(String id, PolicyEntry entry) {
        return loader.load(id, entry, Kinds::wasm);
    }

    /** Loads a group of the given members. */
    public LoadedPolicy group(String expression, PolicyMode mode, Map<String, PolicyEntry.Module> members) {
        var entry = new PolicyEntry.Group(new LinkedHashMap<>(members), expression, "the group says no", mode);
        return loader.load("group", entry, Kinds::wasm);
    }

    public static PolicyEntry.Module module(String policy, String settings, ContextAwareResource... grants) {
        return new PolicyEntry.Module(policy, object(settings), Set.of(grants), Optional.empty(), List.of("*"));
    }

    /** Returns the bytes of a sample policy. */
    public static byte[] wasm(String policy) {
        try {
            return Files.readAllBytes(POLICIES.resolve(policy).resolve("policy.wasm"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static EvaluationRequest.Raw raw(String json) {
        return new EvaluationRequest.Raw("", json.getBytes(StandardCharsets.UTF_8));
    }

    /** Creates an admission request for one object. */
    public static EvaluationRequest.Admission create(String kind, String namespace, String object) {
        var request = JSON.createObjectNode();
        request.put("uid", "u1")
                .put("operation", "CREATE")
                .put("namespace", namespace)
                .put("name", "n");
        request.putObject("kind").put("group", "").put("version", "v1").put("kind", kind);
        request.putObject("resource").put("group", "").put("version", "v1").put("resource", "things");
        request.putObject("userInfo").put("username", "u").put("uid", "1").putArray("groups");
        request.put("dryRun", false);
        request.set("requestKind", request.get("kind"));
        request.set("requestResource", request.get("resource"));
        request.set("object", object(object));
        var name = new GroupVersionName("", "v1", kind);
        return new EvaluationRequest.Admission(
                "u1",
                request.toString().getBytes(StandardCharsets.UTF_8),
                name,
                name,
                "CREATE",
                Optional.empty(),
                Optional.of("n"),
                Optional.of(namespace),
                Optional.empty());
    }

    private static ObjectNode object(String json) {
        try {
            return (ObjectNode) JSON.readTree(json.replace('\'', '"'));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
