package io.portcullis.evaluator.testing;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.cache.CompiledModuleCache;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.loading.EvaluationLimits;
import io.portcullis.evaluator.loading.WasmPolicyLoader;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.wasm.WasmEngine;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Loaders and entries for waPC policies. */
public final class Loaders {

    /** Shared by all tests of a run, so that each sample is compiled once. */
    private static final CompiledModuleCache COMPILED = new MemoryCache();

    private Loaders() {}

    public static WasmPolicyLoader wapc(WasmEngine engine) {
        return wapc(engine, COMPILED, call -> {
            throw new HostCallException("unknown namespace: " + call.namespace());
        });
    }

    public static WasmPolicyLoader wapc(WasmEngine engine, CompiledModuleCache cache, HostCapabilities capabilities) {
        return new WasmPolicyLoader(
                engine,
                cache,
                Map.of(ExecutionMode.KUBEWARDEN_WAPC, new WapcRuntime(capabilities)),
                EvaluationLimits.DEFAULT);
    }

    public static PolicyEntry.Module module(String settings) {
        return new PolicyEntry.Module("test", settings(settings), Set.of(), Optional.empty(), List.of());
    }

    /** Creates an entry in mode protect that may mutate and has no message. */
    public static PolicyEntry.Single entry(String settings) {
        return new PolicyEntry.Single(module(settings), PolicyMode.PROTECT, true, Optional.empty());
    }

    private static ObjectNode settings(String json) {
        return (ObjectNode) JsonTree.parse(json.getBytes(StandardCharsets.UTF_8));
    }
}
