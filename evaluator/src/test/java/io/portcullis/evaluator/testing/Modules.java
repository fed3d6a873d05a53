package io.portcullis.evaluator.testing;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Modules assembled byte by byte. */
public final class Modules {

    private Modules() {}

    /** Returns an empty module of eight bytes. */
    public static byte[] empty() {
        return new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0};
    }

    /** Returns a module with one metadata section for each document. */
    public static byte[] withMetadata(String... documents) {
        var module = new ByteArrayOutputStream();
        module.writeBytes(empty());
        for (var document : documents) {
            module.writeBytes(metadataSection(document));
        }
        return module.toByteArray();
    }

    private static byte[] metadataSection(String document) {
        var name = "io.kubewarden.metadata".getBytes(StandardCharsets.UTF_8);
        var json = document.getBytes(StandardCharsets.UTF_8);
        var section = new ByteArrayOutputStream();
        section.write(0);
        leb128(section, 1 + name.length + json.length);
        leb128(section, name.length);
        section.writeBytes(name);
        section.writeBytes(json);
        return section.toByteArray();
    }

    private static void leb128(ByteArrayOutputStream out, int value) {
        int rest = value;
        while (rest > 0x7f) {
            out.write((rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write(rest);
    }
}
