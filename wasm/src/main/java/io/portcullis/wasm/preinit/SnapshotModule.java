package io.portcullis.wasm.preinit;

import io.portcullis.wasm.binary.BinaryReader;
import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.binary.ModuleSections;
import io.portcullis.wasm.binary.ModuleSections.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The parts of a module that a snapshot needs: sections, and in them the imports, memories, globals and
 * exports. Immutable. Unsupported content raises an {@link UnsupportedModuleException}.
 */
record SnapshotModule(ModuleSections sections) {

    static final int EXTERN_FUNCTION = 0;
    static final int EXTERN_TABLE = 1;
    static final int EXTERN_MEMORY = 2;
    static final int EXTERN_GLOBAL = 3;

    /** The sections that must come after the memory section. */
    private static final Set<Integer> AFTER_MEMORY = Set.of(
            ModuleSections.TAG,
            ModuleSections.GLOBAL,
            ModuleSections.EXPORT,
            ModuleSections.START,
            ModuleSections.ELEMENT,
            ModuleSections.DATA_COUNT,
            ModuleSections.CODE,
            ModuleSections.DATA);

    /** @param entry the original bytes of the whole entry, for writing them back */
    record Import(int kind, Optional<BinaryReader.Limits> memory, byte[] entry) {}

    /** @param head type and mutability; {@code expression} the initial value with its end */
    record Global(int type, boolean mutable, byte[] head, byte[] expression) {}

    record Export(String name, int kind, long index) {}

    static SnapshotModule parse(byte[] wasm) {
        return new SnapshotModule(ModuleSections.parse(wasm));
    }

    boolean has(int id) {
        return sections.has(id);
    }

    List<Import> imports() {
        return sections.entries(ModuleSections.IMPORT, reader -> {
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
        return sections.entries(ModuleSections.MEMORY, BinaryReader::limits);
    }

    List<Global> globals() {
        return sections.entries(ModuleSections.GLOBAL, reader -> {
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
        return sections.entries(
                ModuleSections.EXPORT, reader -> new Export(reader.name(), reader.octet(), reader.number()));
    }

    int count(int id) {
        return sections.count(id);
    }

    /** How many functions there are, imported ones included. */
    long functions() {
        return imports().stream()
                        .filter(wanted -> wanted.kind == EXTERN_FUNCTION)
                        .count()
                + count(ModuleSections.FUNCTION);
    }

    /** The content of the code section; one without functions when the module has none. */
    byte[] code() {
        return sections.listContent(ModuleSections.CODE);
    }

    /** Whether any data segment is passive, for {@code memory.init}. */
    boolean hasPassiveData() {
        return sections.entries(ModuleSections.DATA, reader -> {
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
    SnapshotModule with(int id, byte[] content) {
        var changed = new ArrayList<Section>();
        var added = false;
        for (var section : sections.sections()) {
            if (section.id() == id) {
                changed.add(new Section(id, content));
                added = true;
                continue;
            }
            if (!added && id == ModuleSections.MEMORY && !has(id) && AFTER_MEMORY.contains(section.id())) {
                changed.add(new Section(id, content));
                added = true;
            }
            changed.add(section);
            if (!added && id == ModuleSections.DATA && !has(id) && section.id() == ModuleSections.CODE) {
                changed.add(new Section(id, content));
                added = true;
            }
        }
        if (!added) {
            throw new UnsupportedModuleException("the module has no code");
        }
        return new SnapshotModule(sections.with(changed));
    }

    SnapshotModule without(int id) {
        return new SnapshotModule(sections.filter(section -> section.id() != id));
    }

    /** Appends entries to a section that is a list. */
    SnapshotModule append(int id, List<byte[]> entries) {
        var section = sections.listContent(id);
        var old = new BinaryReader(section);
        var content = new BinaryWriter().number(old.count() + (long) entries.size());
        var start = old.position();
        content.raw(section, start, section.length - start);
        entries.forEach(content::raw);
        return with(id, content.bytes());
    }

    byte[] bytes() {
        return sections.bytes();
    }

    /** A section that is a list of the given entries. */
    static byte[] list(List<byte[]> entries) {
        var writer = new BinaryWriter().number(entries.size());
        entries.forEach(writer::raw);
        return writer.bytes();
    }
}
