package io.portcullis.wasm.binary;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/**
 * A module as its list of sections, for readers of single sections and writers of changed modules. Parses only the frame:
 * the content of a section is read on demand. Unchanged sections stay as the compiler wrote them. Immutable.
 */
public final class ModuleSections {

    public static final int CUSTOM = 0;
    public static final int TYPE = 1;
    public static final int IMPORT = 2;
    public static final int FUNCTION = 3;
    public static final int TABLE = 4;
    public static final int MEMORY = 5;
    public static final int GLOBAL = 6;
    public static final int EXPORT = 7;
    public static final int START = 8;
    public static final int ELEMENT = 9;
    public static final int CODE = 10;
    public static final int DATA = 11;
    public static final int DATA_COUNT = 12;
    public static final int TAG = 13;

    private static final byte[] EMPTY_LIST = {0};

    private final byte[] header;
    private final List<Section> sections;

    /** One section; callers must not change {@code content}. */
    public record Section(int id, byte[] content) {

        public static Section custom(String name, byte[] content) {
            return new Section(
                    CUSTOM, new BinaryWriter().name(name).raw(content).bytes());
        }

        /**
         * Returns the name of a custom section, and nothing for other sections.
         *
         * @throws io.portcullis.wasm.InvalidModuleException when the name is cut off
         */
        public Optional<String> customName() {
            return id == CUSTOM ? Optional.of(new BinaryReader(content).name()) : Optional.empty();
        }
    }

    private ModuleSections(byte[] header, List<Section> sections) {
        this.header = header;
        this.sections = List.copyOf(sections);
    }

    /** @throws io.portcullis.wasm.InvalidModuleException when the length of a section does not fit; the header is not checked */
    public static ModuleSections parse(byte[] wasm) {
        var reader = new BinaryReader(wasm);
        var header = reader.take(BinaryReader.HEADER_SIZE);
        var sections = new ArrayList<Section>();
        while (reader.hasMore()) {
            var section = reader.section();
            sections.add(new Section(section.id(), section.content().rest()));
        }
        return new ModuleSections(header, sections);
    }

    public List<Section> sections() {
        return sections;
    }

    public boolean has(int id) {
        return sections.stream().anyMatch(section -> section.id == id);
    }

    /** Returns the content of the first section of this kind; a list without entries when there is none. */
    public byte[] listContent(int id) {
        return sections.stream()
                .filter(section -> section.id == id)
                .findFirst()
                .map(Section::content)
                .orElse(EMPTY_LIST);
    }

    /** Returns how many entries the first section of this kind has. */
    public int count(int id) {
        return new BinaryReader(listContent(id)).count();
    }

    /** Reads the entries of the first section of this kind; none when there is no such section. */
    public <T> List<T> entries(int id, Function<BinaryReader, T> entry) {
        return new BinaryReader(listContent(id)).list(entry);
    }

    /** Returns a module with these sections. */
    public ModuleSections with(List<Section> changed) {
        return new ModuleSections(header, changed);
    }

    /** Returns a module with only the sections that match. */
    public ModuleSections filter(Predicate<Section> isKept) {
        return with(sections.stream().filter(isKept).toList());
    }

    /** Returns a module with every section of this kind changed. */
    public ModuleSections change(int id, UnaryOperator<byte[]> content) {
        return with(sections.stream()
                .map(section -> section.id == id ? new Section(id, content.apply(section.content)) : section)
                .toList());
    }

    /** Returns the module in the binary format. */
    public byte[] bytes() {
        var writer = new BinaryWriter().raw(header);
        sections.forEach(section -> writer.section(section.id, section.content));
        return writer.bytes();
    }
}
