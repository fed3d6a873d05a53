package io.portcullis.kwctl.metadata;

import io.portcullis.kwctl.cli.CommandException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * A WebAssembly module as a list of sections. Editing splices bytes: untouched sections, including debug information, stay
 * as the compiler wrote them.
 */
public final class ModuleBinary {

    private static final byte[] HEADER = {0, 'a', 's', 'm', 1, 0, 0, 0};
    private static final int CUSTOM = 0;
    private static final int IMPORT = 2;
    private static final int EXPORT = 7;
    private static final int DATA = 11;

    /** Modules of the Javy toolchain import the qualified host interface; our host provides it under a plain name. */
    private static final String JAVY_HOST = "kubewarden:javy/host";

    private static final String PLAIN_HOST = "host";

    private final List<Section> sections;

    private record Section(int id, byte[] content) {

        String customName() {
            return id == CUSTOM ? reading(() -> new Leb128Reader(content).name()) : "";
        }
    }

    private ModuleBinary(List<Section> sections) {
        this.sections = List.copyOf(sections);
    }

    /** @throws CommandException when the bytes are not a valid module */
    public static ModuleBinary parse(byte[] wasm) {
        if (wasm.length < HEADER.length || !Arrays.equals(wasm, 0, HEADER.length, HEADER, 0, HEADER.length)) {
            throw new CommandException("Error parsing wasm module: invalid wasm file, bad magic number or version");
        }
        return reading(() -> {
            var reader = new Leb128Reader(wasm);
            reader.bytes(HEADER.length);
            var sections = new ArrayList<Section>();
            while (reader.hasMore()) {
                sections.add(new Section(reader.octet(), reader.bytes(reader.unsigned())));
            }
            return new ModuleBinary(sections);
        });
    }

    /**
     * Runs a read and converts its failure. Sections are read on demand, so that an invalid section fails only when it is
     * used.
     */
    private static <T> T reading(Supplier<T> read) {
        try {
            return read.get();
        } catch (IndexOutOfBoundsException e) {
            throw new CommandException("Error parsing wasm module: unexpected end-of-file", e);
        }
    }

    /**
     * Returns the names of all exports.
     *
     * @throws CommandException when the export section is malformed
     */
    public List<String> exports() {
        return reading(this::readExports);
    }

    private List<String> readExports() {
        var names = new ArrayList<String>();
        for (var content : contents(EXPORT)) {
            var reader = new Leb128Reader(content);
            for (var left = reader.unsigned(); left > 0; left--) {
                names.add(reader.name());
                reader.octet();
                reader.unsigned();
            }
        }
        return names;
    }

    /** Returns whether the module was compiled from Rego. */
    public boolean isRego() {
        return exports().stream().anyMatch(name -> name.startsWith("opa_"));
    }

    /** Returns the concatenated content of all data segments. Their offsets do not matter for a text search. */
    public byte[] data() {
        var all = new ByteArrayOutputStream();
        contents(DATA).forEach(all::writeBytes);
        return all.toByteArray();
    }

    private List<byte[]> contents(int id) {
        return sections.stream()
                .filter(section -> section.id() == id)
                .map(Section::content)
                .toList();
    }

    /** Returns the module with this custom section at the end; it replaces custom sections of the same name. */
    public ModuleBinary withCustomSection(String name, byte[] content) {
        var kept = new ArrayList<>(without(name).sections);
        var section = new ByteArrayOutputStream();
        writeName(section, name);
        section.writeBytes(content);
        kept.add(new Section(CUSTOM, section.toByteArray()));
        return new ModuleBinary(kept);
    }

    /** Returns the module without custom sections of that name. */
    public ModuleBinary without(String customName) {
        return new ModuleBinary(sections.stream()
                .filter(section -> !section.customName().equals(customName))
                .toList());
    }

    /** Returns the module without the name section and DWARF. */
    public ModuleBinary withoutDebugInformation() {
        return new ModuleBinary(sections.stream()
                .filter(section -> !section.customName().startsWith(".debug_")
                        && !section.customName().equals("name"))
                .toList());
    }

    /** Returns the module with its imports from {@code kubewarden:javy/host} changed to {@code host}. */
    public ModuleBinary withPlainHostImports() {
        return new ModuleBinary(sections.stream()
                .map(section -> section.id() == IMPORT
                        ? new Section(IMPORT, reading(() -> renamed(section.content())))
                        : section)
                .toList());
    }

    private static byte[] renamed(byte[] imports) {
        var reader = new Leb128Reader(imports);
        var out = new ByteArrayOutputStream();
        var count = reader.unsigned();
        writeUnsigned(out, count);
        for (var i = 0; i < count; i++) {
            var module = reader.name();
            var name = reader.name();
            writeName(out, module.equals(JAVY_HOST) && name.equals("call") ? PLAIN_HOST : module);
            writeName(out, name);
            var start = reader.position();
            reader.skipImportType();
            out.write(imports, start, reader.position() - start);
        }
        return out.toByteArray();
    }

    public byte[] bytes() {
        var out = new ByteArrayOutputStream();
        out.writeBytes(HEADER);
        for (var section : sections) {
            out.write(section.id());
            writeUnsigned(out, section.content().length);
            out.writeBytes(section.content());
        }
        return out.toByteArray();
    }

    private static void writeName(ByteArrayOutputStream out, String name) {
        var bytes = name.getBytes(StandardCharsets.UTF_8);
        writeUnsigned(out, bytes.length);
        out.writeBytes(bytes);
    }

    private static void writeUnsigned(ByteArrayOutputStream out, int value) {
        var rest = value;
        while (Integer.compareUnsigned(rest, 0x80) >= 0) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
