package io.portcullis.wasm.preinit;

import io.portcullis.wasm.binary.BinaryReader;
import io.portcullis.wasm.binary.BinaryWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The parts of a module that a snapshot needs: sections, and in them the imports, memories, globals and
 * exports. Immutable. Unsupported content raises an {@link UnsupportedModuleException}.
 */
final class ModuleBinary {

    static final int TYPE = 1;
    static final int IMPORT = 2;
    static final int FUNCTION = 3;
    static final int MEMORY = 5;
    static final int GLOBAL = 6;
    static final int EXPORT = 7;
    static final int START = 8;
    static final int CODE = 10;
    static final int DATA = 11;
    static final int DATA_COUNT = 12;

    static final int EXTERN_FUNCTION = 0;
    static final int EXTERN_TABLE = 1;
    static final int EXTERN_MEMORY = 2;
    static final int EXTERN_GLOBAL = 3;

    /** The sections that must come after the memory section. */
    private static final Set<Integer> AFTER_MEMORY = Set.of(13, GLOBAL, EXPORT, START, 9, DATA_COUNT, CODE, DATA);

    private static final int HEADER_SIZE = 8;

    record Section(int id, byte[] content) {}

    /** @param entry the original bytes of the whole entry, for writing them back */
    record Import(int kind, Optional<BinaryReader.Limits> memory, byte[] entry) {}

    /** @param head type and mutability; {@code expression} the initial value with its end */
    record Global(int type, boolean mutable, byte[] head, byte[] expression) {}

    record Export(String name, int kind, long index) {}

    private final byte[] header;
    private final List<Section> sections;

    private ModuleBinary(byte[] header, List<Section> sections) {
        this.header = header;
        this.sections = List.copyOf(sections);
    }

    static ModuleBinary parse(byte[] wasm) {
        var reader = new BinaryReader(wasm);
        var header = reader.take(HEADER_SIZE);
        var sections = new ArrayList<Section>();
        while (reader.hasMore()) {
            var id = reader.octet();
            sections.add(new Section(id, reader.take(reader.number())));
        }
        return new ModuleBinary(header, sections);
    }

    boolean has(int id) {
        return find(id).isPresent();
    }

    List<Import> imports() {
        return list(IMPORT, reader -> {
            var start = reader.position();
            reader.name();
            reader.name();
            var kind = reader.octet();
            var memory = Optional.<BinaryReader.Limits>empty();
            switch (kind) {
                case EXTERN_FUNCTION -> reader.number();
                case EXTERN_TABLE -> {
                    reader.valueType();
                    reader.skipLimits();
                }
                case EXTERN_MEMORY -> memory = Optional.of(reader.limits());
                case EXTERN_GLOBAL -> {
                    reader.valueType();
                    reader.octet();
                }
                default -> throw new UnsupportedModuleException("the module imports a thing of unknown kind " + kind);
            }
            return new Import(kind, memory, reader.since(start));
        });
    }

    List<BinaryReader.Limits> memories() {
        return list(MEMORY, BinaryReader::limits);
    }

    List<Global> globals() {
        return list(GLOBAL, reader -> {
            var start = reader.position();
            var type = reader.valueType();
            var mutable = reader.octet() == 1;
            var head = reader.since(start);
            var expression = reader.position();
            reader.skipExpression();
            return new Global(type, mutable, head, reader.since(expression));
        });
    }

    List<Export> exports() {
        return list(EXPORT, reader -> new Export(reader.name(), reader.octet(), reader.number()));
    }

    int count(int id) {
        return find(id).map(section -> new BinaryReader(section.content).count())
                .orElse(0);
    }

    /** How many functions there are, imported ones included. */
    long functions() {
        return imports().stream()
                        .filter(wanted -> wanted.kind == EXTERN_FUNCTION)
                        .count()
                + count(FUNCTION);
    }

    /** The content of the code section; one without functions when the module has none. */
    byte[] code() {
        return find(CODE).map(Section::content).orElse(new byte[] {0});
    }

    /** Whether any data segment is passive, for {@code memory.init}. */
    boolean hasPassiveData() {
        return list(DATA, reader -> {
                    var flags = reader.number();
                    if (flags == 2) {
                        reader.number();
                    }
                    if (flags != 1) {
                        reader.skipExpression();
                    }
                    reader.skip(reader.number());
                    return flags == 1;
                })
                .contains(true);
    }

    /** Returns a module with this section replaced, or inserted in the right order. */
    ModuleBinary with(int id, byte[] content) {
        var changed = new ArrayList<Section>();
        var added = false;
        for (var section : sections) {
            if (section.id == id) {
                changed.add(new Section(id, content));
                added = true;
                continue;
            }
            if (!added && id == MEMORY && !has(MEMORY) && AFTER_MEMORY.contains(section.id)) {
                changed.add(new Section(id, content));
                added = true;
            }
            changed.add(section);
            if (!added && id == DATA && !has(DATA) && section.id == CODE) {
                changed.add(new Section(id, content));
                added = true;
            }
        }
        if (!added) {
            throw new UnsupportedModuleException("the module has no code");
        }
        return new ModuleBinary(header, changed);
    }

    ModuleBinary without(int id) {
        return new ModuleBinary(
                header, sections.stream().filter(section -> section.id != id).toList());
    }

    /** Appends entries to a section that is a list. */
    ModuleBinary append(int id, List<byte[]> entries) {
        var old = new BinaryReader(find(id).map(Section::content).orElse(new byte[] {0}));
        var count = old.count();
        var start = old.position();
        var content = new BinaryWriter().number(count + entries.size());
        var section = find(id).map(Section::content).orElse(new byte[] {0});
        content.raw(section, start, section.length - start);
        entries.forEach(content::raw);
        return with(id, content.bytes());
    }

    byte[] bytes() {
        var writer = new BinaryWriter().raw(header);
        sections.forEach(section -> writer.section(section.id, section.content));
        return writer.bytes();
    }

    /** A section that is a list of the given entries. */
    static byte[] list(List<byte[]> entries) {
        var writer = new BinaryWriter().number(entries.size());
        entries.forEach(writer::raw);
        return writer.bytes();
    }

    private Optional<Section> find(int id) {
        return sections.stream().filter(section -> section.id == id).findFirst();
    }

    private <T> List<T> list(int id, Function<BinaryReader, T> entry) {
        var section = find(id);
        if (section.isEmpty()) {
            return List.of();
        }
        var reader = new BinaryReader(section.get().content);
        var count = reader.count();
        var entries = new ArrayList<T>();
        for (var index = 0; index < count; index++) {
            entries.add(entry.apply(reader));
        }
        return entries;
    }
}
