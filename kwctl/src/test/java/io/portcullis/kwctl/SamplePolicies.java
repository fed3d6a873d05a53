package io.portcullis.kwctl;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The sample policies of this repository, and requests for them. */
public final class SamplePolicies {

    private static final Path DIRECTORY =
            Path.of("..", "policies").toAbsolutePath().normalize();

    public static final String PRIVILEGED_PODS = path("privileged-pods/policy.wasm");
    public static final String RUN_AS_USER = path("run-as-user/policy.wasm");
    public static final String RAW_MUTATION = path("raw-mutation/policy.wasm");
    public static final String HOST_CALL = path("host-call/policy.wasm");
    public static final String OPA = path("opa-service-types/policy.wasm");
    public static final String GATEKEEPER = path("gatekeeper-privileged-containers/policy.wasm");
    public static final String WASI = path("go-namespace-labels/policy.wasm");

    private SamplePolicies() {}

    public static String path(String name) {
        return DIRECTORY.resolve(name).toString();
    }

    /** An admission request for a pod with one container. */
    public static String podRequest(boolean privileged) {
        return """
                {"uid":"u1","kind":{"group":"","version":"v1","kind":"Pod"},
                 "resource":{"group":"","version":"v1","resource":"pods"},
                 "operation":"CREATE","namespace":"default","userInfo":{"username":"alice"},
                 "object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","labels":{"app":"web"}},
                  "spec":{"containers":[{"name":"c","image":"i","securityContext":{"privileged":%s}}]}}}
                """.formatted(privileged);
    }

    public static Path write(Path file, String text) {
        try {
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
