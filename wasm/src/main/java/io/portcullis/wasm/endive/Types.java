package io.portcullis.wasm.endive;

import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import run.endive.wasm.WasmModule;
import run.endive.wasm.types.Export;
import run.endive.wasm.types.ExternalType;
import run.endive.wasm.types.FunctionImport;
import run.endive.wasm.types.GlobalImport;
import run.endive.wasm.types.Import;
import run.endive.wasm.types.MemoryImport;
import run.endive.wasm.types.MemoryLimits;
import run.endive.wasm.types.MutabilityType;
import run.endive.wasm.types.TableImport;
import run.endive.wasm.types.ValType;

/** Converts between Endive's types and ours. */
final class Types {

    private final WasmModule module;
    private final List<Import> imports;

    Types(WasmModule module) {
        this.module = module;
        this.imports = module.importSection().stream().toList();
    }

    List<ImportType> imports() {
        return imports.stream()
                .map(wanted -> new ImportType(wanted.module(), wanted.name(), extern(wanted)))
                .toList();
    }

    List<ExportType> exports() {
        var exports = new ArrayList<ExportType>();
        for (var index = 0; index < module.exportSection().exportCount(); index++) {
            var export = module.exportSection().getExport(index);
            exports.add(new ExportType(export.name(), extern(export)));
        }
        return List.copyOf(exports);
    }

    /** The type of the function with this index, imported ones first. */
    FunctionType function(int index) {
        var imported = imports.stream()
                .filter(wanted -> wanted instanceof FunctionImport)
                .map(FunctionImport.class::cast)
                .toList();
        var type = index < imported.size()
                ? imported.get(index).typeIndex()
                : module.functionSection().getFunctionType(index - imported.size());
        return function(module.typeSection().getType(type));
    }

    static run.endive.wasm.types.FunctionType endive(FunctionType type) {
        return run.endive.wasm.types.FunctionType.of(
                type.parameters().stream().map(Types::endive).toList(),
                type.results().stream().map(Types::endive).toList());
    }

    private ExternType extern(Import wanted) {
        return switch (wanted) {
            case FunctionImport function ->
                new ExternType.Function(function(module.typeSection().getType(function.typeIndex())));
            case MemoryImport memory -> memory(memory.limits());
            case GlobalImport global ->
                new ExternType.Global(value(global.type()), global.mutabilityType() == MutabilityType.Var);
            case TableImport _ -> new ExternType.Table();
            default -> new ExternType.Other();
        };
    }

    private ExternType extern(Export export) {
        return switch (export.exportType()) {
            case FUNCTION -> new ExternType.Function(function(export.index()));
            case MEMORY -> memory(export.index());
            case GLOBAL -> global(export.index());
            case TABLE -> new ExternType.Table();
            case TAG -> new ExternType.Other();
        };
    }

    private ExternType memory(int index) {
        var imported = imported(ExternalType.MEMORY);
        if (index < imported.size()) {
            return extern(imported.get(index));
        }
        return memory(module.memorySection()
                .orElseThrow()
                .getMemory(index - imported.size())
                .limits());
    }

    private ExternType global(int index) {
        var imported = imported(ExternalType.GLOBAL);
        if (index < imported.size()) {
            return extern(imported.get(index));
        }
        var global = module.globalSection().getGlobal(index - imported.size());
        return new ExternType.Global(value(global.valueType()), global.mutabilityType() == MutabilityType.Var);
    }

    private List<Import> imported(ExternalType kind) {
        return imports.stream().filter(wanted -> wanted.importType() == kind).toList();
    }

    private static ExternType memory(MemoryLimits limits) {
        var unbounded = limits.maximumPages() >= MemoryLimits.MAX_PAGES;
        return new ExternType.Memory(
                limits.initialPages(), unbounded ? OptionalLong.empty() : OptionalLong.of(limits.maximumPages()));
    }

    private static FunctionType function(run.endive.wasm.types.FunctionType type) {
        return new FunctionType(
                type.params().stream().map(Types::value).toList(),
                type.returns().stream().map(Types::value).toList());
    }

    private static ValueType value(ValType type) {
        if (type.equals(ValType.I32)) {
            return ValueType.I32;
        } else if (type.equals(ValType.I64)) {
            return ValueType.I64;
        } else if (type.equals(ValType.F32)) {
            return ValueType.F32;
        } else if (type.equals(ValType.F64)) {
            return ValueType.F64;
        }
        return type.equals(ValType.V128) ? ValueType.V128 : ValueType.REFERENCE;
    }

    private static ValType endive(ValueType type) {
        return switch (type) {
            case I32 -> ValType.I32;
            case I64 -> ValType.I64;
            case F32 -> ValType.F32;
            case F64 -> ValType.F64;
            case V128, REFERENCE -> throw new IllegalArgumentException("host functions take numbers only, not " + type);
        };
    }
}
