package io.portcullis.wasm.endive;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ImportMatch;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.MemoryUse;
import io.portcullis.wasm.ValueType;
import io.portcullis.wasm.binary.ModuleOutline;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import run.endive.runtime.Machine;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.ExternalType;

/** A parsed module and its compiled classes. It has no native memory: closing only prevents further use. */
final class EndiveModule implements CompiledModule {

    /** An exported function whose values are all numbers. */
    record Callable(int index, FunctionType type) {}

    private final WasmModule module;
    private final ModuleOutline outline;
    private final MemoryBudget guestMemory;
    private final MemoryUse memoryUse;
    private final Function<run.endive.runtime.Instance, Machine> machine;
    private final byte[] serialised;
    private final Watchdog watchdog;
    private final List<ImportType> imports;
    private final List<ExportType> exports;
    private final Map<String, Callable> functions = new HashMap<>();
    private volatile boolean closed;

    EndiveModule(
            WasmModule module,
            ModuleOutline outline,
            Function<run.endive.runtime.Instance, Machine> machine,
            byte[] serialised,
            Watchdog watchdog,
            MemoryBudget guestMemory) {
        this.module = module;
        this.outline = outline;
        this.guestMemory = guestMemory;
        this.memoryUse = outline.memoryUse();
        this.machine = machine;
        this.serialised = serialised;
        this.watchdog = watchdog;
        var types = new Types(module);
        this.imports = types.imports();
        this.exports = types.exports();
        for (var index = 0; index < module.exportSection().exportCount(); index++) {
            var export = module.exportSection().getExport(index);
            if (export.exportType() == ExternalType.FUNCTION) {
                var type = types.function(export.index());
                if (isCallable(type)) {
                    functions.put(export.name(), new Callable(export.index(), type));
                }
            }
        }
    }

    @Override
    public List<ImportType> imports() {
        return imports;
    }

    @Override
    public List<ExportType> exports() {
        return exports;
    }

    @Override
    public byte[] serialize() {
        checkOpen();
        return serialised.clone();
    }

    @Override
    public LinkedModule link(HostImports offered) {
        checkOpen();
        return new EndiveLinkedModule(this, ImportMatch.of(imports, offered), watchdog);
    }

    @Override
    public void close() {
        closed = true;
    }

    ModuleOutline outline() {
        return outline;
    }

    MemoryBudget guestMemory() {
        return guestMemory;
    }

    MemoryUse memoryUse() {
        return memoryUse;
    }

    WasmModule module() {
        return module;
    }

    Function<run.endive.runtime.Instance, Machine> machine() {
        return machine;
    }

    @Nullable
    Callable function(String name) {
        return functions.get(name);
    }

    /** The memory exported as {@code memory}, else the imported one. */
    OptionalInt memory() {
        for (var index = 0; index < module.exportSection().exportCount(); index++) {
            var export = module.exportSection().getExport(index);
            if (export.exportType() == ExternalType.MEMORY && export.name().equals("memory")) {
                return OptionalInt.of(export.index());
            }
        }
        return imports.stream().anyMatch(wanted -> wanted.type() instanceof ExternType.Memory)
                ? OptionalInt.of(0)
                : OptionalInt.empty();
    }

    private void checkOpen() {
        if (closed) {
            throw new IllegalStateException("the module is closed");
        }
    }

    private static boolean isCallable(FunctionType type) {
        return type.parameters().stream().allMatch(EndiveModule::isNumber)
                && type.results().stream().allMatch(EndiveModule::isNumber);
    }

    private static boolean isNumber(ValueType type) {
        return switch (type) {
            case I32, I64, F32, F64 -> true;
            case V128, REFERENCE -> false;
        };
    }
}
