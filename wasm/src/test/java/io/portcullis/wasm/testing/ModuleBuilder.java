package io.portcullis.wasm.testing;

import io.portcullis.wasm.binary.BinaryWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Writes modules byte by byte, including invalid ones that no assembler would write. */
public final class ModuleBuilder {

    public static final int I32 = 0x7f;
    public static final int I64 = 0x7e;
    private static final int END = 0x0b;

    private record Function(int type, byte[] body) {}

    private final List<byte[]> types = new ArrayList<>();
    private final List<byte[]> imports = new ArrayList<>();
    private final List<byte[]> exports = new ArrayList<>();
    private final List<byte[]> memories = new ArrayList<>();
    private final List<byte[]> tables = new ArrayList<>();
    private final List<Function> functions = new ArrayList<>();
    private final TreeMap<Integer, byte[]> raw = new TreeMap<>();
    private final List<byte[]> custom = new ArrayList<>();
    private int imported;
    private int start = -1;

    /** @return the index of the type */
    public int type(List<Integer> parameters, List<Integer> results) {
        var type = new BinaryWriter().octet(0x60).number(parameters.size());
        parameters.forEach(type::octet);
        type.number(results.size());
        results.forEach(type::octet);
        types.add(type.bytes());
        return types.size() - 1;
    }

    /** Adds an imported function; call this before adding functions of the module. @return the index of the function */
    public int importFunction(String module, String name, int type) {
        imports.add(
                new BinaryWriter().name(module).name(name).octet(0).number(type).bytes());
        return imported++;
    }

    /** @param instructions without the final end. @return the index of the function */
    public int function(int type, byte[] instructions) {
        var code = new BinaryWriter().number(0).raw(instructions).octet(END).bytes();
        functions.add(new Function(
                type, new BinaryWriter().number(code.length).raw(code).bytes()));
        return imported + functions.size() - 1;
    }

    public ModuleBuilder memory(long pages) {
        memories.add(new BinaryWriter().octet(0).number(pages).bytes());
        return this;
    }

    public ModuleBuilder table(long elements) {
        tables.add(new BinaryWriter().octet(0x70).octet(0).number(elements).bytes());
        return this;
    }

    /** @param kind 0 for a function, 2 for a memory */
    public ModuleBuilder export(String name, int kind, int index) {
        exports.add(new BinaryWriter().name(name).octet(kind).number(index).bytes());
        return this;
    }

    public ModuleBuilder start(int function) {
        start = function;
        return this;
    }

    /** Replaces a whole section. */
    public ModuleBuilder raw(int section, byte[] content) {
        raw.put(section, content);
        return this;
    }

    public ModuleBuilder custom(String name, byte[] content) {
        custom.add(new BinaryWriter().name(name).raw(content).bytes());
        return this;
    }

    public byte[] build() {
        var writer = new BinaryWriter().raw(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
        for (var id : List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 10, 11)) {
            var content = raw.containsKey(id) ? raw.get(id) : content(id);
            if (content.length > 0) {
                writer.section(id, content);
            }
        }
        custom.forEach(content -> writer.section(0, content));
        return writer.bytes();
    }

    private byte[] content(int id) {
        return switch (id) {
            case 1 -> list(types);
            case 2 -> list(imports);
            case 3 ->
                list(functions.stream()
                        .map(function ->
                                new BinaryWriter().number(function.type).bytes())
                        .toList());
            case 4 -> list(tables);
            case 5 -> list(memories);
            case 7 -> list(exports);
            case 8 -> start < 0 ? new byte[0] : new BinaryWriter().number(start).bytes();
            case 10 -> list(functions.stream().map(Function::body).toList());
            default -> new byte[0];
        };
    }

    private static byte[] list(List<byte[]> entries) {
        if (entries.isEmpty()) {
            return new byte[0];
        }
        var writer = new BinaryWriter().number(entries.size());
        entries.forEach(writer::raw);
        return writer.bytes();
    }

    /** Instructions from numbers. */
    public static byte[] code(int... octets) {
        var bytes = new byte[octets.length];
        for (var index = 0; index < octets.length; index++) {
            bytes[index] = (byte) octets[index];
        }
        return bytes;
    }

    /** {@code i32.const}. */
    public static byte[] constant(int value) {
        return new BinaryWriter().octet(0x41).signed(value).bytes();
    }

    public static byte[] concat(byte[]... parts) {
        var writer = new BinaryWriter();
        for (var part : parts) {
            writer.raw(part);
        }
        return writer.bytes();
    }
}
