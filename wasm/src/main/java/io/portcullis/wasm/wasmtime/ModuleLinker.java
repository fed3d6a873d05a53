package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ImportMatch;
import io.portcullis.wasm.LinkException;
import io.portcullis.wasm.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Resolves a module's imports in Wasmtime: one upcall stub for each imported function. */
final class ModuleLinker {

    private static final byte PAGE_SIZE_LOG2 = 16;

    private final WasmtimeModule module;
    private final WasmtimeEngine engine;
    private final Arena stubs = Arena.ofShared();

    ModuleLinker(WasmtimeModule module) {
        this.module = module;
        this.engine = module.engine();
    }

    /** Transfers the caller's reference to the module to the result. */
    WasmtimeLinkedModule link(ImportMatch imports) {
        var linker = engine.library().pointer("wasmtime_linker_new", module.nativeEngine());
        try {
            imports.functions().forEach((name, function) -> define(linker, name, function));
            var instantiation = imports.memory().isPresent()
                    ? ownMemory(linker, imports.memory().get())
                    : prelinked(linker);
            return new WasmtimeLinkedModule(module, instantiation, stubs);
        } catch (Throwable failure) {
            engine.library().run("wasmtime_linker_delete", linker);
            stubs.close();
            throw failure;
        }
    }

    private void define(MemorySegment linker, HostImports.Name name, HostImports.Function function) {
        var library = engine.library();
        var stub = new HostCall(engine.wasmtime(), function, engine.trapMessage()).stub(stubs);
        var type = functionType(function.type());
        try (var arena = Arena.ofConfined()) {
            var moduleName = Layouts.utf8(arena, name.module());
            var field = Layouts.utf8(arena, name.name());
            check(library.pointer(
                    "wasmtime_linker_define_func_unchecked",
                    linker,
                    moduleName,
                    moduleName.byteSize(),
                    field,
                    field.byteSize(),
                    type,
                    stub,
                    MemorySegment.NULL,
                    MemorySegment.NULL));
        } finally {
            library.run("wasm_functype_delete", type);
        }
    }

    /** A {@code wasm_functype_t}, owned by the caller. */
    private MemorySegment functionType(FunctionType type) {
        try (var arena = Arena.ofConfined()) {
            return engine.library()
                    .pointer("wasm_functype_new", values(arena, type.parameters()), values(arena, type.results()));
        }
    }

    private MemorySegment values(Arena arena, List<ValueType> types) {
        var vector = Layouts.vector(arena);
        var elements = arena.allocate(ValueLayout.ADDRESS, Math.max(1, types.size()));
        for (var index = 0; index < types.size(); index++) {
            elements.setAtIndex(
                    ValueLayout.ADDRESS, index, engine.library().pointer("wasm_valtype_new", kind(types.get(index))));
        }
        engine.library().run("wasm_valtype_vec_new", vector, (long) types.size(), elements);
        return vector;
    }

    private static byte kind(ValueType type) {
        return switch (type) {
            case I32 -> 0;
            case I64 -> 1;
            case F32 -> 2;
            case F64 -> 3;
            case V128, REFERENCE -> throw new LinkException("host functions take numbers only, not " + type);
        };
    }

    private Prelinked prelinked(MemorySegment linker) {
        try (var arena = Arena.ofConfined()) {
            var pre = Layouts.pointer(arena);
            check(engine.library().pointer("wasmtime_linker_instantiate_pre", linker, module.handle(), pre));
            engine.library().run("wasmtime_linker_delete", linker);
            return new Prelinked(engine.wasmtime(), pre.get(ValueLayout.ADDRESS, 0), engine.memoryName());
        }
    }

    private MemoryImport ownMemory(MemorySegment linker, HostImports.ImportedMemory memory) {
        try (var arena = Arena.ofConfined()) {
            var type = Layouts.pointer(arena);
            check(engine.library()
                    .pointer(
                            "wasmtime_memorytype_new",
                            memory.minimumPages(),
                            memory.maximumPages().isPresent(),
                            memory.maximumPages().orElse(0),
                            false,
                            false,
                            PAGE_SIZE_LOG2,
                            type));
            return new MemoryImport(
                    engine.wasmtime(),
                    linker,
                    module.handle(),
                    type.get(ValueLayout.ADDRESS, 0),
                    Layouts.utf8(stubs, memory.name().module()),
                    Layouts.utf8(stubs, memory.name().name()));
        }
    }

    private void check(MemorySegment error) {
        if (error.address() != 0) {
            throw new LinkException(engine.failures().consumeError(error));
        }
    }
}
