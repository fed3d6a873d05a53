package io.portcullis.wasm.binary;

import io.portcullis.wasm.ExportType;
import io.portcullis.wasm.ExternType;
import io.portcullis.wasm.FunctionType;
import io.portcullis.wasm.ImportType;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.MemoryUse;
import io.portcullis.wasm.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * The imports and exports of a module, read from its bytes.
 *
 * <p>This class does not use the C API, because {@code wasm_externtype_kind} and similar functions abort the process when
 * a type contains a vector or a typed reference. Any policy author can write such a type.
 */
public final class ModuleOutline {

    private static final Set<Integer> SECTIONS = Set.of(
            ModuleSections.TYPE,
            ModuleSections.IMPORT,
            ModuleSections.FUNCTION,
            ModuleSections.TABLE,
            ModuleSections.MEMORY,
            ModuleSections.GLOBAL,
            ModuleSections.EXPORT);
    private static final int FUNCTION_FORM = 0x60;
    private static final long PAGE_BYTES = 64 << 10;

    private final byte[] bytes;
    private final Map<Integer, byte[]> sections = new HashMap<>();
    private final List<FunctionType> types;
    private final List<FunctionType> functions = new ArrayList<>();
    private final List<ExternType> memories = new ArrayList<>();
    private final List<ExternType> globals = new ArrayList<>();
    private int tables;
    private final List<ImportType> imports;
    private final List<ExportType> exports;

    private ModuleOutline(byte[] wasm) {
        var reader = new BinaryReader(wasm);
        var outline = new BinaryWriter().raw(reader.take(BinaryReader.HEADER_SIZE));
        while (reader.hasMore()) {
            var section = reader.section();
            if (SECTIONS.contains(section.id())) {
                var content = section.content().rest();
                outline.section(section.id(), content);
                sections.put(section.id(), content);
            }
        }
        this.bytes = outline.bytes();
        this.types = list(ModuleSections.TYPE, ModuleOutline::functionType);
        this.imports = list(ModuleSections.IMPORT, this::imported);
        functions.addAll(list(ModuleSections.FUNCTION, section -> type(section.number())));
        tables += section(ModuleSections.TABLE).count();
        memories.addAll(list(ModuleSections.MEMORY, ModuleOutline::memory));
        globals.addAll(list(ModuleSections.GLOBAL, section -> {
            var type = global(section);
            section.skipExpression();
            return type;
        }));
        this.exports = list(ModuleSections.EXPORT, this::exported);
    }

    /** @throws InvalidModuleException when the bytes are not a module or use an unsupported type */
    public static ModuleOutline of(byte[] wasm) {
        return new ModuleOutline(wasm);
    }

    public List<ImportType> imports() {
        return imports;
    }

    public List<ExportType> exports() {
        return exports;
    }

    /** How many memories an instance has, imported ones included. */
    public int memories() {
        return memories.size();
    }

    /** How many tables an instance has, imported ones included. */
    public int tables() {
        return tables;
    }

    /** Returns an estimate of the memory that instances use, which starts at the size that the module declares. */
    public MemoryUse memoryUse() {
        var isExported = exports.stream()
                .anyMatch(export -> export.name().equals("memory") && export.type() instanceof ExternType.Memory);
        var isImported = imports.stream().anyMatch(wanted -> wanted.type() instanceof ExternType.Memory);
        var isVisible = memories() == 1 && (isExported || isImported);
        return new MemoryUse(memories(), isVisible, initialMemoryPages() * PAGE_BYTES);
    }

    /** The size of all memories together when an instance starts. */
    long initialMemoryPages() {
        return memories.stream()
                .mapToLong(type -> type instanceof ExternType.Memory memory ? memory.minimumPages() : 0)
                .sum();
    }

    /** Returns the module without code and data, as input for {@link #of}. */
    public byte[] bytes() {
        return bytes.clone();
    }

    private ImportType imported(BinaryReader reader) {
        var module = reader.name();
        var name = reader.name();
        return new ImportType(
                module,
                name,
                switch (reader.octet()) {
                    case 0 -> {
                        var type = type(reader.number());
                        functions.add(type);
                        yield new ExternType.Function(type);
                    }
                    case 1 -> {
                        reader.valueType();
                        reader.skipLimits();
                        tables++;
                        yield new ExternType.Table();
                    }
                    case 2 -> added(memories, memory(reader));
                    case 3 -> added(globals, global(reader));
                    case 4 -> {
                        reader.octet();
                        reader.number();
                        yield new ExternType.Other();
                    }
                    default -> throw new InvalidModuleException("the module imports a thing of unknown kind");
                });
    }

    private ExportType exported(BinaryReader reader) {
        var name = reader.name();
        var kind = reader.octet();
        var index = reader.number();
        return new ExportType(
                name,
                switch (kind) {
                    case 0 -> new ExternType.Function(at(functions, index));
                    case 1 -> new ExternType.Table();
                    case 2 -> at(memories, index);
                    case 3 -> at(globals, index);
                    default -> new ExternType.Other();
                });
    }

    private static FunctionType functionType(BinaryReader reader) {
        if (reader.octet() != FUNCTION_FORM) {
            throw new InvalidModuleException("the module defines types of the garbage-collection proposal");
        }
        return new FunctionType(values(reader), values(reader));
    }

    private static List<ValueType> values(BinaryReader reader) {
        return reader.list(ModuleOutline::value);
    }

    private static ValueType value(BinaryReader reader) {
        return switch (reader.valueType()) {
            case 0x7f -> ValueType.I32;
            case 0x7e -> ValueType.I64;
            case 0x7d -> ValueType.F32;
            case 0x7c -> ValueType.F64;
            case 0x7b -> ValueType.V128;
            default -> ValueType.REFERENCE;
        };
    }

    private static ExternType memory(BinaryReader reader) {
        var limits = reader.limits();
        return new ExternType.Memory(limits.minimum(), limits.maximum());
    }

    private static ExternType global(BinaryReader reader) {
        return new ExternType.Global(value(reader), reader.octet() == 1);
    }

    private FunctionType type(long index) {
        return at(types, index);
    }

    private static <T> T at(List<T> list, long index) {
        if (index >= list.size()) {
            throw new InvalidModuleException("the module refers to index %d of %d".formatted(index, list.size()));
        }
        return list.get((int) index);
    }

    private static <T> T added(List<T> list, T element) {
        list.add(element);
        return element;
    }

    private <T> List<T> list(int id, Function<BinaryReader, T> entry) {
        return section(id).list(entry);
    }

    private BinaryReader section(int id) {
        return new BinaryReader(sections.getOrDefault(id, new byte[] {0}));
    }
}
