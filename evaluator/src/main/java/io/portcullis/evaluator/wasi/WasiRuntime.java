package io.portcullis.evaluator.wasi;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.host.HostCapabilities;
import io.portcullis.evaluator.runtime.ExecutableModule;
import io.portcullis.evaluator.runtime.PolicyRuntime;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.wasi.Wasi;

/** Runs {@code wasi} modules. */
public final class WasiRuntime implements PolicyRuntime {

    static final String START = "_start";

    private static final HostImports IMPORTS = HostImports.builder()
            .include(Wasi.imports())
            .include(HostCallImports.all())
            .build();

    private final HostCapabilities capabilities;

    public WasiRuntime(HostCapabilities capabilities) {
        this.capabilities = capabilities;
    }

    @Override
    public ExecutableModule link(CompiledModule module) {
        if (!module.exports(START)) {
            module.close();
            throw new PolicyLoadException(
                    Reason.INVALID_MODULE, "cannot find `_start` function inside of module", null);
        }
        try {
            return new WasiModule(module, module.link(IMPORTS), capabilities);
        } catch (LinkException e) {
            module.close();
            throw new PolicyLoadException(
                    Reason.LINK_ERROR, "WebAssembly failure: cannot build PolicyEvaluatorPre: " + e.getMessage(), e);
        }
    }
}
