package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.CompiledModule;
import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ImportMatch;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.LinkedModule;
import io.portcullis.wasm.ValueType;
import io.portcullis.wasm.binary.ModuleOutline;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The native code of one module, with everything that can be computed before a request arrives. */
final class WasmtimeModule implements CompiledModule {

    /** An exported function whose values are all numbers, with its name in Wasmtime's encoding. */
    record Export(MemorySegment name, ValueType[] parameters, ValueType[] results) {}

    private final WasmtimeEngine engine;
    private final MemorySegment nativeEngine;
    private final MemorySegment handle;
    private final ModuleOutline outline;
    private final Map<String, ExportType> exportsByName = new HashMap<>();
    private final Map<String, Export> functions = new HashMap<>();
    private final Arena names = Arena.ofShared();
    private final ReferenceCount references = new ReferenceCount(this::delete);
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Owns {@code handle}, a {@code wasmtime_module_t} made by {@code nativeEngine}. */
    WasmtimeModule(WasmtimeEngine engine, MemorySegment nativeEngine, MemorySegment handle, ModuleOutline outline) {
        this.engine = engine;
        this.nativeEngine = nativeEngine;
        this.handle = handle;
        this.outline = outline;
        for (var export : outline.exports()) {
            exportsByName.put(export.name(), export);
            if (export.type() instanceof ExternType.Function(var type) && isCallable(type)) {
                functions.put(
                        export.name(),
                        new Export(
                                Layouts.utf8(names, export.name()),
                                type.parameters().toArray(ValueType[]::new),
                                type.results().toArray(ValueType[]::new)));
            }
        }
    }

    @Override
    public List<ImportType> imports() {
        return outline.imports();
    }

    @Override
    public List<ExportType> exports() {
        return outline.exports();
    }

    @Override
    public boolean exports(String name) {
        return exportsByName.containsKey(name);
    }

    @Override
    public byte[] serialize() {
        references.take();
        try (var arena = Arena.ofConfined()) {
            var vector = Layouts.vector(arena);
            var error = engine.library().pointer("wasmtime_module_serialize", handle, vector);
            if (error.address() != 0) {
                throw new IllegalStateException(engine.failures().consumeError(error));
            }
            var image = engine.seal(outline, Layouts.bytes(vector));
            engine.library().run("wasm_byte_vec_delete", vector);
            return image;
        } finally {
            references.drop();
        }
    }

    @Override
    public LinkedModule link(HostImports offered) {
        references.take();
        try {
            return new ModuleLinker(this).link(ImportMatch.of(imports(), offered));
        } catch (Throwable failure) {
            references.drop();
            throw failure;
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            references.drop();
        }
    }

    @Nullable
    Export function(String name) {
        return functions.get(name);
    }

    ModuleOutline outline() {
        return outline;
    }

    WasmtimeEngine engine() {
        return engine;
    }

    MemorySegment nativeEngine() {
        return nativeEngine;
    }

    MemorySegment handle() {
        return handle;
    }

    void release() {
        references.drop();
    }

    private void delete() {
        engine.library().run("wasmtime_module_delete", handle);
        names.close();
    }

    private static boolean isCallable(FunctionType type) {
        return type.parameters().size() <= Scratch.MAX_VALUES
                && type.results().size() <= Scratch.MAX_VALUES
                && type.parameters().stream().allMatch(WasmtimeModule::isNumber)
                && type.results().stream().allMatch(WasmtimeModule::isNumber);
    }

    private static boolean isNumber(ValueType type) {
        return switch (type) {
            case I32, I64, F32, F64 -> true;
            case V128, REFERENCE -> false;
        };
    }
}
