package io.portcullis.wasm.wasmtime;

import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.ValueType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Reads a compiled module's imports and exports, and writes function types for the linker. */
final class ModuleTypes {

    private final NativeLibrary library;

    ModuleTypes(NativeLibrary library) {
        this.library = library;
    }

    List<ImportType> imports(MemorySegment module) {
        try (var arena = Arena.ofConfined()) {
            var vector = Layouts.vector(arena);
            library.run("wasmtime_module_imports", module, vector);
            var imports = new ArrayList<ImportType>();
            for (var index = 0; index < Layouts.count(vector); index++) {
                var type = Layouts.element(vector, index);
                imports.add(new ImportType(
                        Layouts.text(library.pointer("wasm_importtype_module", type)),
                        Layouts.text(library.pointer("wasm_importtype_name", type)),
                        extern(library.pointer("wasm_importtype_type", type))));
            }
            library.run("wasm_importtype_vec_delete", vector);
            return List.copyOf(imports);
        }
    }

    List<ExportType> exports(MemorySegment module) {
        try (var arena = Arena.ofConfined()) {
            var vector = Layouts.vector(arena);
            library.run("wasmtime_module_exports", module, vector);
            var exports = new ArrayList<ExportType>();
            for (var index = 0; index < Layouts.count(vector); index++) {
                var type = Layouts.element(vector, index);
                exports.add(new ExportType(
                        Layouts.text(library.pointer("wasm_exporttype_name", type)),
                        extern(library.pointer("wasm_exporttype_type", type))));
            }
            library.run("wasm_exporttype_vec_delete", vector);
            return List.copyOf(exports);
        }
    }

    /** A {@code wasm_functype_t}, owned by the caller. */
    MemorySegment function(FunctionType type) {
        try (var arena = Arena.ofConfined()) {
            return library.pointer(
                    "wasm_functype_new", values(arena, type.parameters()), values(arena, type.results()));
        }
    }

    private ExternType extern(MemorySegment type) {
        return switch (library.octet("wasm_externtype_kind", type)) {
            case Layouts.EXTERN_FUNC ->
                new ExternType.Function(new FunctionType(
                        values(library.pointer("wasm_functype_params", type)),
                        values(library.pointer("wasm_functype_results", type))));
            case Layouts.EXTERN_GLOBAL ->
                new ExternType.Global(
                        value(library.pointer("wasm_globaltype_content", type)),
                        library.octet("wasm_globaltype_mutability", type) != 0);
            case Layouts.EXTERN_TABLE -> new ExternType.Table();
            case Layouts.EXTERN_MEMORY -> memory(type);
            default -> new ExternType.Other();
        };
    }

    private ExternType memory(MemorySegment type) {
        try (var arena = Arena.ofConfined()) {
            var maximum = arena.allocate(ValueLayout.JAVA_LONG);
            var bounded = library.flag("wasmtime_memorytype_maximum", type, maximum);
            return new ExternType.Memory(
                    library.number("wasmtime_memorytype_minimum", type),
                    bounded ? OptionalLong.of(maximum.get(ValueLayout.JAVA_LONG, 0)) : OptionalLong.empty());
        }
    }

    private List<ValueType> values(MemorySegment vector) {
        var types = new ArrayList<ValueType>();
        for (var index = 0; index < Layouts.count(vector); index++) {
            types.add(value(Layouts.element(vector, index)));
        }
        return types;
    }

    private ValueType value(MemorySegment type) {
        return switch (library.octet("wasm_valtype_kind", type)) {
            case 0 -> ValueType.I32;
            case 1 -> ValueType.I64;
            case 2 -> ValueType.F32;
            case 3 -> ValueType.F64;
            case 4 -> ValueType.V128;
            default -> ValueType.REFERENCE;
        };
    }

    private MemorySegment values(Arena arena, List<ValueType> types) {
        var vector = Layouts.vector(arena);
        var elements = arena.allocate(ValueLayout.ADDRESS, Math.max(1, types.size()));
        for (var index = 0; index < types.size(); index++) {
            elements.setAtIndex(
                    ValueLayout.ADDRESS, index, library.pointer("wasm_valtype_new", kind(types.get(index))));
        }
        library.run("wasm_valtype_vec_new", vector, (long) types.size(), elements);
        return vector;
    }

    private static byte kind(ValueType type) {
        return switch (type) {
            case I32 -> 0;
            case I64 -> 1;
            case F32 -> 2;
            case F64 -> 3;
            case V128, REFERENCE -> throw new IllegalArgumentException("host functions take numbers only, not " + type);
        };
    }
}
