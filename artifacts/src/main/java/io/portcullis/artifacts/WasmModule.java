package io.portcullis.artifacts;

import io.portcullis.artifacts.ArtifactException.Reason;
import java.util.Arrays;

/** The least that can be said of a module without compiling it. */
public final class WasmModule {

    private static final byte[] MAGIC = {0, 'a', 's', 'm'};

    private WasmModule() {}

    /** Refuses what does not begin like WebAssembly, such as the error page of a web server. */
    public static void checkMagic(String name, byte[] bytes) {
        if (!hasMagic(bytes)) {
            throw new ArtifactException(Reason.INVALID_ARTIFACT, "invalid wasm file: " + name);
        }
    }

    /** Says which limit a module exceeds, how large it is and who can change it. */
    public static String tooLarge(long limit) {
        return "larger than the limit of " + limit
                + " bytes for one module; the operator of a policy server can change it with --max-module-bytes";
    }

    static boolean hasMagic(byte[] bytes) {
        return bytes.length >= MAGIC.length && Arrays.equals(bytes, 0, MAGIC.length, MAGIC, 0, MAGIC.length);
    }
}
