package io.portcullis.server.preparation;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/** waPC modules, made byte by byte, that cost much to prepare. */
public final class HostileModules {

    private static final byte I32 = 0x7f;

    private HostileModules() {}

    /**
     * A valid module whose functions have many locals that depend on each other. The compiler needs memory and time far
     * beyond the module's size.
     */
    public static byte[] expensiveToCompile(int functions, int bytesPerFunction, int locals) {
        var random = new Random(1);
        var code = new ByteArrayOutputStream();
        unsigned(code, functions + 1);
        body(code, new byte[] {0, 0x41, 1, 0x0b});
        for (var i = 0; i < functions; i++) {
            body(code, function(random, bytesPerFunction, locals));
        }
        var declared = new ByteArrayOutputStream();
        unsigned(declared, functions + 1);
        for (var i = 0; i <= functions; i++) {
            declared.write(0);
        }
        return module(declared.toByteArray(), code.toByteArray(), 1, new byte[0]);
    }

    private static byte[] function(Random random, int size, int locals) {
        var out = new ByteArrayOutputStream();
        out.write(1);
        unsigned(out, locals);
        out.write(I32);
        while (out.size() < size) {
            var first = random.nextInt(locals + 2);
            var second = random.nextInt(locals + 2);
            var target = random.nextInt(locals + 2);
            out.write(0x20);
            unsigned(out, first);
            out.write(0x20);
            unsigned(out, second);
            out.write(0x6a);
            out.write(0x21);
            unsigned(out, target);
            if (random.nextInt(5) == 0) {
                out.write(0x20);
                unsigned(out, first);
                out.writeBytes(new byte[] {0x04, 0x40, 0x20});
                unsigned(out, second);
                out.write(0x21);
                unsigned(out, target);
                out.write(0x0b);
            }
        }
        out.writeBytes(new byte[] {0x20, 0, 0x0b});
        return out.toByteArray();
    }

    /** A module with a start function for pre-initialisation and a memory of this size. */
    public static byte[] largeMemory(int pages) {
        return module(new byte[] {2, 0, 1}, twoFunctions(new byte[] {0, 0x0b}), pages, new byte[0]);
    }

    /** A module whose name section declares that it is two gigabytes long. */
    public static byte[] hugeNameSection() {
        var section = new ByteArrayOutputStream();
        section.write(0);
        var content = new ByteArrayOutputStream();
        name(content, "name");
        content.write(1);
        unsigned(content, Integer.MAX_VALUE);
        content.write(0);
        unsigned(section, content.size());
        section.writeBytes(content.toByteArray());
        return module(new byte[] {2, 0, 1}, twoFunctions(new byte[] {0, 0x0b}), 1, section.toByteArray());
    }

    /** A module whose start function never returns. */
    public static byte[] endlessStart() {
        return module(
                new byte[] {2, 0, 1}, twoFunctions(new byte[] {0, 0x03, 0x40, 0x0c, 0, 0x0b, 0x0b}), 1, new byte[0]);
    }

    private static byte[] twoFunctions(byte[] start) {
        var code = new ByteArrayOutputStream();
        code.write(2);
        body(code, new byte[] {0, 0x41, 1, 0x0b});
        body(code, start);
        return code.toByteArray();
    }

    private static byte[] module(byte[] declared, byte[] code, int pages, byte[] custom) {
        var out = new ByteArrayOutputStream();
        out.writeBytes(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0});
        section(out, 1, new byte[] {2, 0x60, 2, I32, I32, 1, I32, 0x60, 0, 0});
        section(out, 3, declared);
        var memory = new ByteArrayOutputStream();
        memory.writeBytes(new byte[] {1, 0});
        unsigned(memory, pages);
        section(out, 5, memory.toByteArray());
        var exports = new ByteArrayOutputStream();
        var hasStart = declared.length == 3;
        exports.write(hasStart ? 3 : 2);
        name(exports, "memory");
        exports.writeBytes(new byte[] {2, 0});
        name(exports, "__guest_call");
        exports.writeBytes(new byte[] {0, 0});
        if (hasStart) {
            name(exports, "_start");
            exports.writeBytes(new byte[] {0, 1});
        }
        section(out, 7, exports.toByteArray());
        section(out, 10, code);
        out.writeBytes(custom);
        var metadata = new ByteArrayOutputStream();
        name(metadata, "io.kubewarden.metadata");
        metadata.writeBytes(
                "{\"protocolVersion\":\"v1\",\"rules\":[],\"mutating\":false}".getBytes(StandardCharsets.UTF_8));
        section(out, 0, metadata.toByteArray());
        return out.toByteArray();
    }

    private static void section(ByteArrayOutputStream out, int id, byte[] content) {
        out.write(id);
        unsigned(out, content.length);
        out.writeBytes(content);
    }

    private static void body(ByteArrayOutputStream code, byte[] body) {
        unsigned(code, body.length);
        code.writeBytes(body);
    }

    private static void name(ByteArrayOutputStream out, String name) {
        var bytes = name.getBytes(StandardCharsets.UTF_8);
        unsigned(out, bytes.length);
        out.writeBytes(bytes);
    }

    private static void unsigned(ByteArrayOutputStream out, int value) {
        var rest = value;
        while (rest > 0x7f || rest < 0) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
