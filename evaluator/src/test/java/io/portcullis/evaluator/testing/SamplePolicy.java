package io.portcullis.evaluator.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Our own policies, from {@code policies/} in the repository. */
public enum SamplePolicy {
    PRIVILEGED_PODS("privileged-pods/policy.wasm"),
    RUN_AS_USER("run-as-user/policy.wasm"),
    RAW_VALIDATION("raw-validation/policy.wasm"),
    RAW_MUTATION("raw-mutation/policy.wasm"),
    SLEEPING("sleeping/policy.wasm"),
    HOST_CALL("host-call/policy.wasm");

    private final String file;

    SamplePolicy(String file) {
        this.file = file;
    }

    public byte[] wasm() {
        return read(file);
    }

    /** Returns a guest that breaks a rule. */
    public static byte[] misbehaving(String name) {
        return read("misbehaving/" + name + ".wasm");
    }

    private static byte[] read(String file) {
        try {
            return Files.readAllBytes(Path.of("..", "policies").resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
