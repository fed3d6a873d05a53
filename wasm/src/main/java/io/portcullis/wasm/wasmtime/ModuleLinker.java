package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.HostImports;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.LinkException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** Resolves a module's imports against what the host offers: one upcall stub for each function the module asks for. */
final class ModuleLinker {

    private final WasmtimeModule module;
    private final WasmtimeEngine engine;
    private final HostImports imports;
    private final Arena stubs = Arena.ofShared();

    ModuleLinker(WasmtimeModule module, HostImports imports) {
        this.module = module;
        this.engine = module.engine();
        this.imports = imports;
    }

    /** The caller's reference to the module goes over to the result. */
    WasmtimeLinkedModule link() {
        var library = engine.library();
        var linker = library.pointer("wasmtime_linker_new", module.nativeEngine());
        var keepLinker = false;
        try {
            defineFunctions(linker);
            var memory = memoryImport();
            keepLinker = memory != null;
            var instantiation = memory == null ? prelinked(linker) : ownMemory(linker, memory);
            return new WasmtimeLinkedModule(module, instantiation, stubs);
        } catch (Throwable failure) {
            stubs.close();
            throw failure;
        } finally {
            if (!keepLinker) {
                library.run("wasmtime_linker_delete", linker);
            }
        }
    }

    private void defineFunctions(MemorySegment linker) {
        var defined = new HashSet<HostImports.Name>();
        for (var wanted : module.imports()) {
            var name = new HostImports.Name(wanted.module(), wanted.name());
            switch (wanted.type()) {
                case ExternType.Function(var type) -> {
                    var offered = imports.functions().get(name);
                    if (offered == null) {
                        throw missing(wanted, "a function");
                    }
                    if (!offered.type().equals(type)) {
                        throw new LinkException(
                                "incompatible import type for `%s::%s`: the module wants %s, the host has %s"
                                        .formatted(name.module(), name.name(), type, offered.type()));
                    }
                    if (defined.add(name)) {
                        define(linker, name, offered);
                    }
                }
                case ExternType.Memory _ -> {
                    if (imports.memory()
                            .filter(memory -> memory.name().equals(name))
                            .isEmpty()) {
                        throw missing(wanted, "a memory");
                    }
                }
                case ExternType.Global _ -> throw missing(wanted, "a global");
                case ExternType.Table _ -> throw missing(wanted, "a table");
                case ExternType.Other _ -> throw missing(wanted, "a tag");
            }
        }
    }

    private void define(MemorySegment linker, HostImports.Name name, HostImports.Function function) {
        var library = engine.library();
        var stub = new HostCall(engine.wasmtime(), function, engine.trapMessage()).stub(stubs);
        var type = engine.types().function(function.type());
        try (var arena = Arena.ofConfined()) {
            var module = Layouts.utf8(arena, name.module());
            var field = Layouts.utf8(arena, name.name());
            check(library.pointer(
                    "wasmtime_linker_define_func_unchecked",
                    linker,
                    module,
                    module.byteSize(),
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

    private @Nullable ImportType memoryImport() {
        return module.imports().stream()
                .filter(wanted -> wanted.type() instanceof ExternType.Memory)
                .findFirst()
                .orElse(null);
    }

    private Prelinked prelinked(MemorySegment linker) {
        try (var arena = Arena.ofConfined()) {
            var pre = Layouts.pointer(arena);
            check(engine.library().pointer("wasmtime_linker_instantiate_pre", linker, module.handle(), pre));
            return new Prelinked(engine.wasmtime(), pre.get(ValueLayout.ADDRESS, 0), engine.memoryName());
        }
    }

    private MemoryImport ownMemory(MemorySegment linker, ImportType wanted) {
        var offered = imports.memory().orElseThrow();
        var declared = (ExternType.Memory) wanted.type();
        var minimum = Math.max(offered.minimumPages(), declared.minimumPages());
        var maximum = tighter(offered.maximumPages(), declared.maximumPages());
        try (var arena = Arena.ofConfined()) {
            var type = Layouts.pointer(arena);
            check(engine.library()
                    .pointer(
                            "wasmtime_memorytype_new",
                            minimum,
                            maximum.isPresent(),
                            maximum.orElse(0),
                            false,
                            false,
                            (byte) 16,
                            type));
            return new MemoryImport(
                    engine.wasmtime(),
                    linker,
                    module.handle(),
                    type.get(ValueLayout.ADDRESS, 0),
                    Layouts.utf8(stubs, wanted.module()),
                    Layouts.utf8(stubs, wanted.name()));
        }
    }

    private static OptionalLong tighter(OptionalLong one, OptionalLong other) {
        if (one.isEmpty()) {
            return other;
        }
        return other.isEmpty() ? one : OptionalLong.of(Math.min(one.getAsLong(), other.getAsLong()));
    }

    private void check(MemorySegment error) {
        if (error.address() != 0) {
            throw new LinkException(engine.failures().consumeError(error));
        }
    }

    private static LinkException missing(ImportType wanted, String kind) {
        return new LinkException("unknown import: `%s::%s` has not been defined; the module wants %s of that name"
                .formatted(wanted.module(), wanted.name(), kind));
    }
}
