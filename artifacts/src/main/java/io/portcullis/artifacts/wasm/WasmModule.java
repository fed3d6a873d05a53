package io.portcullis.artifacts.wasm;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.util.Arrays;

/** Checks modules without compiling them. */
public final class WasmModule {

    /** The default of {@code --max-module-bytes}: four times the size of the largest published policy. */
    public static final long DEFAULT_LIMIT = 100L << 20;

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

    public static boolean hasMagic(byte[] bytes) {
        return bytes.length >= MAGIC.length && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }
}
