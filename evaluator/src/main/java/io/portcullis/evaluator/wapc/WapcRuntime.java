package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.host.HostCallException;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.host.HostCapabilities.Caller;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.SizeLimits;
import io.portcullis.wasm.WasmEngine;
import io.portcullis.wasm.preinit.Initialisation;
import io.portcullis.wasm.preinit.PreInitialiser;
import io.portcullis.wasm.wasi.Wasi;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Runs {@code kubewarden-wapc} modules. */
public final class WapcRuntime implements PolicyRuntime {

    private static final HostImports IMPORTS = HostImports.builder()
            .include(Wasi.imports())
            .include(WapcImports.of(guest -> (WapcCallState) guest.state()))
            .build();
    private static final ExportType GUEST_CALL =
            new ExportType(WapcInstance.GUEST_CALL, new ExternType.Function(FunctionType.i32s(2, 1)));

    /** The start functions besides {@code wapc_init}. */
    private static final Set<String> START_FUNCTIONS = Set.of("_start", "_initialize");

    private static final Duration PREPARATION_TIMEOUT = Duration.ofSeconds(10);

    private final HostCapabilities capabilities;

    public WapcRuntime(HostCapabilities capabilities) {
        this.capabilities = capabilities;
    }

    /**
     * Runs the guest's start-up once and snapshots the result. Modules that cannot be snapshotted stay unchanged.
     * Modules that only register their functions, as Rust modules do, also stay unchanged: their start-up is too short
     * to justify a second compilation.
     */
    @Override
    public byte[] prepare(WasmEngine engine, byte[] wasm) {
        return PreInitialiser.hasStartUp(wasm, START_FUNCTIONS) ? preInitialise(engine, wasm) : wasm;
    }

    /** Pre-initialises the module unconditionally. */
    byte[] preInitialise(WasmEngine engine, byte[] wasm) {
        var caller = new Caller("pre-initialisation", List.of(), Set.of(), Deadline.after(PREPARATION_TIMEOUT));
        var initialisation = Initialisation.wapc(IMPORTS, new WapcCallState(caller, capabilities));
        return new PreInitialiser(engine, SizeLimits.DEFAULT)
                .prepare(wasm, initialisation, PREPARATION_TIMEOUT)
                .wasm();
    }

    @Override
    public String preparation() {
        return "preinit2";
    }

    @Override
    public WapcModule link(CompiledModule module) {
        if (!module.exports().contains(GUEST_CALL)) {
            module.close();
            throw PolicyLoadException.noGuestCall();
        }
        try {
            return new WapcModule(module, module.link(IMPORTS), capabilities);
        } catch (LinkException e) {
            module.close();
            throw new PolicyLoadException(
                    Reason.LINK_ERROR, "WebAssembly failure: cannot build PolicyEvaluatorPre: " + e.getMessage(), e);
        }
    }

    /**
     * Calls the guest to get its protocol version. Tools use this when they annotate a module; servers rely on the
     * metadata.
     *
     * @throws PolicyLoadException if the module cannot run or does not return a known version
     */
    public static ProtocolVersion protocolVersion(WasmEngine engine, byte[] wasm) {
        var runtime = new WapcRuntime(call -> {
            throw new HostCallException("unknown namespace: " + call.namespace());
        });
        try (var module = runtime.link(engine.compile(wasm))) {
            return module.protocolVersion();
        } catch (InvalidModuleException e) {
            throw new PolicyLoadException(Reason.INVALID_MODULE, String.valueOf(e.getMessage()), e);
        }
    }
}
