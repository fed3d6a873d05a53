package io.portcullis.kwctl.metadata;

import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.binary.BinaryReader;
import io.portcullis.wasm.binary.BinaryWriter;
import io.portcullis.wasm.binary.ModuleSections;
import io.portcullis.wasm.binary.ModuleSections.Section;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A WebAssembly module that kwctl inspects and annotates. Editing splices bytes: untouched sections, including debug
 * information, stay as the compiler wrote them.
 */
public final class EditableModule {

    /** Modules of the Javy toolchain import the qualified host interface; our host provides it under a plain name. */
    private static final String JAVY_HOST = "kubewarden:javy/host";

    private static final String PLAIN_HOST = "host";

    private final ModuleSections sections;

    private EditableModule(ModuleSections sections) {
        this.sections = sections;
    }

    /** @throws CommandException when the bytes are not a valid module */
    public static EditableModule parse(byte[] wasm) {
        if (!BinaryReader.hasHeader(wasm)) {
            throw new CommandException("Error parsing wasm module: invalid wasm file, bad magic number or version");
        }
        return new EditableModule(reading(() -> ModuleSections.parse(wasm)));
    }

    /**
     * Runs a read and converts its failure. Sections are read on demand, so that an invalid section fails only when it is
     * used.
     */
    private static <T> T reading(Supplier<T> read) {
        try {
            return read.get();
        } catch (InvalidModuleException e) {
            throw new CommandException("Error parsing wasm module: unexpected end-of-file", e);
        }
    }

    /**
     * Returns the names of all exports.
     *
     * @throws CommandException when the export section is malformed
     */
    public List<String> exports() {
        return reading(() -> contents(ModuleSections.EXPORT).stream()
                .flatMap(content -> new BinaryReader(content).list(EditableModule::exportName).stream())
                .toList());
    }

    private static String exportName(BinaryReader reader) {
        var name = reader.name();
        reader.octet();
        reader.number();
        return name;
    }

    /** Returns whether the module was compiled from Rego. */
    public boolean isRego() {
        return exports().stream().anyMatch(name -> name.startsWith("opa_"));
    }

    /** Returns the concatenated content of all data segments. Their offsets do not matter for a text search. */
    public byte[] data() {
        var all = new ByteArrayOutputStream();
        contents(ModuleSections.DATA).forEach(all::writeBytes);
        return all.toByteArray();
    }

    private List<byte[]> contents(int id) {
        return sections.sections().stream()
                .filter(section -> section.id() == id)
                .map(Section::content)
                .toList();
    }

    /** Returns the module with this custom section at the end; it replaces custom sections of the same name. */
    public EditableModule withCustomSection(String name, byte[] content) {
        var changed = new ArrayList<>(without(name).sections.sections());
        changed.add(Section.custom(name, content));
        return new EditableModule(sections.with(changed));
    }

    /** Returns the module without custom sections of that name. */
    public EditableModule without(String customName) {
        return withoutCustom(customName::equals);
    }

    /** Returns the module without the name section and DWARF. */
    public EditableModule withoutDebugInformation() {
        return withoutCustom(name -> name.startsWith(".debug_") || name.equals("name"));
    }

    private EditableModule withoutCustom(Predicate<String> isDropped) {
        return new EditableModule(reading(() -> sections.filter(
                section -> section.customName().filter(isDropped).isEmpty())));
    }

    /** Returns the module with its imports from {@code kubewarden:javy/host} changed to {@code host}. */
    public EditableModule withPlainHostImports() {
        return new EditableModule(reading(() -> sections.change(ModuleSections.IMPORT, EditableModule::renamed)));
    }

    private static byte[] renamed(byte[] imports) {
        var reader = new BinaryReader(imports);
        var count = reader.count();
        var out = new BinaryWriter().number(count);
        for (var i = 0; i < count; i++) {
            var module = reader.name();
            var name = reader.name();
            var start = reader.position();
            reader.skipImportType();
            out.name(module.equals(JAVY_HOST) && name.equals("call") ? PLAIN_HOST : module)
                    .name(name)
                    .raw(reader.since(start));
        }
        return out.bytes();
    }

    public byte[] bytes() {
        return sections.bytes();
    }
}
