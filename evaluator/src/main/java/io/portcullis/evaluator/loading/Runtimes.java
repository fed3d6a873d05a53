package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.rego.BuiltinErrors;
import io.portcullis.evaluator.rego.RegoDialect;
import io.portcullis.evaluator.rego.RegoRuntime;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.evaluator.wasi.WasiRuntime;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.Map;

/** Creates the runtime of each execution mode. */
final class Runtimes {

    private Runtimes() {}

    static Map<ExecutionMode, PolicyRuntime> ofEveryMode(HostCapabilities host, InstantSource clock) {
        var runtimes = new EnumMap<ExecutionMode, PolicyRuntime>(ExecutionMode.class);
        for (var mode : ExecutionMode.values()) {
            runtimes.put(mode, of(mode, host, clock));
        }
        return runtimes;
    }

    static PolicyRuntime of(ExecutionMode mode, HostCapabilities host, InstantSource clock) {
        return switch (mode) {
            case KUBEWARDEN_WAPC -> new WapcRuntime(host);
            case WASI -> new WasiRuntime(host);
            case OPA -> new RegoRuntime(RegoDialect.OPA, host, BuiltinErrors.REJECT, clock);
            case GATEKEEPER -> new RegoRuntime(RegoDialect.GATEKEEPER, host, BuiltinErrors.REJECT, clock);
        };
    }
}
