package io.portcullis.artifacts.testing;

import java.util.Random;

/** Creates bytes with a WebAssembly header; no test compiles them. */
public final class Modules {

    private Modules() {}

    public static byte[] ofSize(int size, long seed) {
        var bytes = new byte[size];
        new Random(seed).nextBytes(bytes);
        System.arraycopy(new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0}, 0, bytes, 0, 8);
        return bytes;
    }

    public static byte[] small() {
        return ofSize(1000, 1);
    }
}
