package io.portcullis.wasm.testing;

import java.io.IOException;
import java.io.UncheckedIOException;

/** The committed test modules. */
public final class Guests {

    private Guests() {}

    /** A guest of {@code policies/misbehaving}. */
    public static byte[] misbehaving(String name) {
        return resource("/misbehaving/" + name + ".wasm");
    }

    /** A module of {@code src/test/resources/modules}. */
    public static byte[] module(String name) {
        return resource("/modules/" + name + ".wasm");
    }

    private static byte[] resource(String path) {
        try (var stream = Guests.class.getResourceAsStream(path)) {
            if (stream == null) {
                throw new IllegalArgumentException("no such guest: " + path);
            }
            return stream.readAllBytes();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
