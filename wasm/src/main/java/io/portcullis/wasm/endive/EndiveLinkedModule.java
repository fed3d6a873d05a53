package io.portcullis.wasm.endive;

import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.ImportMatch;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.SizeLimits;

/** A module with its imports resolved. Immutable except for {@link #close}. */
final class EndiveLinkedModule implements LinkedModule {

    private final EndiveModule module;
    private final ImportMatch imports;
    private final Watchdog watchdog;
    private volatile boolean closed;

    EndiveLinkedModule(EndiveModule module, ImportMatch imports, Watchdog watchdog) {
        this.module = module;
        this.imports = imports;
        this.watchdog = watchdog;
    }

    @Override
    public Instance instantiate(SizeLimits limits, Deadline deadline, Object hostState) {
        if (closed) {
            throw new IllegalStateException("the module is closed");
        }
        var instance = new EndiveInstance(module, watchdog, limits, deadline, hostState);
        try {
            instance.start(imports, limits);
            return instance;
        } catch (RuntimeException failure) {
            instance.close();
            throw failure;
        }
    }

    @Override
    public void close() {
        closed = true;
    }
}
