package io.portcullis.evaluator.loading;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.LinkedModule;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Limits the native code of all modules that are loaded at the same time. Thread-safe. */
public final class CodeBudget {

    private static final long MIB = 1 << 20;

    private final long limitBytes;
    private final AtomicLong used = new AtomicLong();

    public CodeBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Creates a budget for programs that load few modules and then exit. */
    public static CodeBudget unlimited() {
        return new CodeBudget(Long.MAX_VALUE);
    }

    public long limitBytes() {
        return limitBytes;
    }

    public long usedBytes() {
        return used.get();
    }

    /**
     * Loads a module if its code fits into the budget; the code counts until the module is closed.
     *
     * @throws PolicyLoadException if the code does not fit
     */
    CompiledModule load(long bytes, Supplier<CompiledModule> loading) {
        if (used.addAndGet(bytes) > limitBytes) {
            used.addAndGet(-bytes);
            throw new PolicyLoadException(
                    Reason.PREPARATION_FAILED,
                    "the compiled module has %s MiB, and of %d MiB for the code of all modules %d MiB are in use; an operator raises the limit with --compiled-code-memory (KUBEWARDEN_COMPILED_CODE_MEMORY) or with more memory for the server"
                            .formatted((bytes + MIB - 1) / MIB, limitBytes / MIB, used.get() / MIB),
                    null);
        }
        try {
            return new Counted(loading.get(), () -> used.addAndGet(-bytes));
        } catch (RuntimeException | Error e) {
            used.addAndGet(-bytes);
            throw e;
        }
    }

    /** A module whose code counts against the budget. */
    private record Counted(CompiledModule module, Runnable release, AtomicBoolean closed) implements CompiledModule {

        Counted(CompiledModule module, Runnable release) {
            this(module, release, new AtomicBoolean());
        }

        @Override
        public List<ImportType> imports() {
            return module.imports();
        }

        @Override
        public List<ExportType> exports() {
            return module.exports();
        }

        @Override
        public byte[] serialize() {
            return module.serialize();
        }

        @Override
        public LinkedModule link(HostImports imports) {
            return module.link(imports);
        }

        @Override
        public void close() {
            module.close();
            if (closed.compareAndSet(false, true)) {
                release.run();
            }
        }
    }
}
