package io.portcullis.artifacts;

import io.portcullis.artifacts.ArtifactException.Reason;
import java.util.Arrays;

/** Checks modules without compiling them. */
public final class WasmModule {

    private static final byte[] MAGIC = {0, 'a', 's', 'm'};

    private WasmModule() {}

    /** Rejects bytes that do not start with the WebAssembly magic number, such as the error page of a web server. */
    public static void checkMagic(String name, byte[] bytes) {
        if (!hasMagic(bytes)) {
            throw new ArtifactException(Reason.INVALID_ARTIFACT, "invalid wasm file: " + name);
        }
    }

    /** Returns an error text with the size limit and the flag that changes it. */
    public static String tooLarge(long limit) {
        return "larger than the limit of " + limit
                + " bytes for one module; the operator of a policy server can change it with --max-module-bytes";
    }

    static boolean hasMagic(byte[] bytes) {
        return bytes.length >= MAGIC.length && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }
}
