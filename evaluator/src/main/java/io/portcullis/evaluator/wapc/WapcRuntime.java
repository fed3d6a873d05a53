package io.portcullis.evaluator.wapc;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.LinkException;

/** Runs {@code kubewarden-wapc} modules. */
public final class WapcRuntime implements PolicyRuntime {

    private static final HostImports IMPORTS = HostImports.builder()
            .include(WapcImports.of(guest -> (Conversation) guest.state()))
            .build();

    private final HostCapabilities capabilities;

    public WapcRuntime(HostCapabilities capabilities) {
        this.capabilities = capabilities;
    }

    @Override
    public WapcModule link(CompiledModule module) {
        if (!module.exports(WapcInstance.GUEST_CALL)) {
            module.close();
            throw new PolicyLoadException(
                    Reason.INVALID_MODULE, "Guest call function (__guest_call) not exported by wasm module.", null);
        }
        try {
            return new WapcModule(module, module.link(IMPORTS), capabilities);
        } catch (LinkException e) {
            module.close();
            throw new PolicyLoadException(
                    Reason.LINK_ERROR, "WebAssembly failure: cannot build PolicyEvaluatorPre: " + e.getMessage(), e);
        }
    }
}
