package io.portcullis.server;

import static net.javacrumbs.jsonunit.assertj.JsonAssertions.assertThatJson;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The errors that a policy, its module or its definition can cause. */
class BadPoliciesTest {

    private static final Path GUESTS = Path.of("src/test/resources/guests");

    @TempDir
    static Path dir;

    private static RunningServer server;

    @BeforeAll
    static void start() throws Exception {
        write("unknown-mode", withMetadata(emptyModule(), "foo", ""));
        write(
                "short-version",
                withMetadata(emptyModule(), "kubewarden-wapc", ",\"minimumKubewardenVersion\":\"1.20\""));
        write("too-new", withMetadata(emptyModule(), "kubewarden-wapc", ",\"minimumKubewardenVersion\":\"99.1.0\""));
        write("html", "<!DOCTYPE html><html></html>".getBytes(StandardCharsets.UTF_8));
        write("nothing", new byte[0]);
        write("truncated", Arrays.copyOf(Files.readAllBytes(GUESTS.resolve("fixed-answer.wasm")), 100));
        write("object", answering("{}"));
        write("list", answering("[]"));
        write("code", answering("{\"accepted\":false,\"code\":70000}"));
        write("mutates", answering("{\"accepted\":true,\"mutated_object\":{\"a\":1}}"));
        write("wasi-junk", withMetadata(Files.readAllBytes(GUESTS.resolve("wasi-junk.wasm")), "wasi", ""));
        write("wasi-fails", withMetadata(Files.readAllBytes(GUESTS.resolve("wasi-fails.wasm")), "wasi", ""));
        write("number", withMetadata(rego("number-message"), "gatekeeper", ""));
        write("builtin", withMetadata(rego("unsupported-builtin"), "opa", ""));
        server = new RunningServer(dir, """
                good: {module: $POLICIES/privileged-pods/policy.wasm}
                unknown-mode: {module: ./unknown-mode.wasm}
                short-version: {module: ./short-version.wasm}
                too-new: {module: ./too-new.wasm}
                html: {module: ./html.wasm}
                nothing: {module: ./nothing.wasm}
                truncated: {module: ./truncated.wasm}
                object: {module: ./object.wasm}
                list: {module: ./list.wasm}
                code: {module: ./code.wasm}
                empty: {module: $POLICIES/misbehaving/empty-response.wasm}
                pointer: {module: $POLICIES/misbehaving/pointer-response.wasm}
                pointer-request: {module: $POLICIES/misbehaving/pointer-request.wasm}
                pointer-host-call: {module: $POLICIES/misbehaving/pointer-host-call.wasm}
                mutates: {module: ./mutates.wasm, allowedToMutate: true}
                wasi-junk: {module: ./wasi-junk.wasm}
                wasi-fails: {module: ./wasi-fails.wasm}
                number: {module: ./number.wasm}
                builtin: {module: ./builtin.wasm}
                no-capability:
                  module: $POLICIES/host-call/policy.wasm
                  hostCapabilities: ["crypto/*"]
                  settings: {namespace: net, operation: v1/dns_lookup_host, payload: localhost}
                no-resource:
                  module: $POLICIES/host-call/policy.wasm
                  hostCapabilities: ["*"]
                  settings:
                    namespace: kubernetes
                    operation: get_resource
                    payload: {api_version: v1, kind: Secret, name: x, namespace: y, disable_cache: false}
                broken-member:
                  expression: a() || b()
                  message: the group says no
                  policies:
                    a: {module: $POLICIES/privileged-pods/policy.wasm}
                    b: {module: ./html.wasm}
                newer-member:
                  expression: a()
                  message: the group says no
                  policies: {a: {module: ./too-new.wasm}}
                """);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static void write(String name, byte[] module) throws IOException {
        Files.write(dir.resolve(name + ".wasm"), module);
    }

    private static byte[] emptyModule() {
        return new byte[] {0, 'a', 's', 'm', 1, 0, 0, 0};
    }

    private static byte[] rego(String name) throws IOException {
        return Files.readAllBytes(GUESTS.resolve("rego").resolve(name + ".wasm"));
    }

    /** A waPC guest that answers every request with the same text. */
    private static byte[] answering(String text) throws IOException {
        var module = new String(Files.readAllBytes(GUESTS.resolve("fixed-answer.wasm")), StandardCharsets.ISO_8859_1);
        return module.replace("x".repeat(256), text + " ".repeat(256 - text.length()))
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private static byte[] withMetadata(byte[] module, String mode, String more) {
        var metadata = "{\"protocolVersion\":\"v1\",\"rules\":[],\"mutating\":false,\"executionMode\":\"%s\"%s}"
                .formatted(mode, more)
                .getBytes(StandardCharsets.UTF_8);
        var name = "io.kubewarden.metadata".getBytes(StandardCharsets.UTF_8);
        var length = 1 + name.length + metadata.length;
        var out = new ByteArrayOutputStream();
        out.writeBytes(module);
        out.write(0);
        out.write((length & 0x7f) | 0x80);
        out.write(length >>> 7);
        out.write(name.length);
        out.writeBytes(name);
        out.writeBytes(metadata);
        return out.toByteArray();
    }

    private static String rejection(String policy) throws IOException {
        var answer = server.http().post("/validate/" + policy, Reviews.allowed());
        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response.allowed").isEqualTo(false);
        assertThatJson(answer.body()).inPath("response.status.code").isEqualTo(500);
        return message(answer.body()).replace(dir.toUri().toString(), "$DIR/");
    }

    private static String message(String body) {
        return body.replaceAll(".*\"message\":\"((?:[^\"\\\\]|\\\\.)*)\".*", "$1");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            unknown-mode | bootstrap failure: unknown-mode: cannot deserialize custom section `io.kubewarden.metadata` of wasm module: unknown variant `foo`, expected one of `kubewarden-wapc`, `opa`, `gatekeeper`, `wasi`
            short-version | bootstrap failure: short-version: cannot deserialize custom section `io.kubewarden.metadata` of wasm module: minimumKubewardenVersion: invalid version `1.20`: expected MAJOR.MINOR.PATCH, for example 1.20.0
            too-new | bootstrap failure: too-new: Policy required Kubewarden version 99.1.0 but is running on 1.36.0
            html | bootstrap failure: html: invalid wasm file: $DIR/html.wasm
            nothing | bootstrap failure: nothing: invalid wasm file: $DIR/nothing.wasm
            truncated | bootstrap failure: truncated: cannot parse custom section of wasm module: unexpected end-of-file (at offset 0x57)
            builtin | bootstrap failure: cannot build Rego engine: Missing Rego builtins: http.send
            newer-member | bootstrap failure: newer-member: member a: Policy required Kubewarden version 99.1.0 but is running on 1.36.0
            broken-member | bootstrap failure: broken-member: invalid wasm file: $DIR/html.wasm
            """)
    void policiesThatCannotBeLoadedRejectWithTheCause(String policy, String message) throws IOException {
        assertThat(rejection(policy)).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            object | internal server error: invalid response from policy: missing field `accepted` at line 1 column 2
            list | internal server error: invalid response from policy: invalid type: sequence, expected struct ValidationResponse at line 1 column 0
            empty | internal server error: invalid response from policy: EOF while parsing a value at line 1 column 0
            code | internal server error: invalid response from policy: invalid value: integer `70000`, expected u16 at line 1 column 30
            pointer | internal server error: Guest call failure: out of bounds memory access: 256 bytes at 4294967280 of 65536
            pointer-host-call | internal server error: Guest call failure: guest hands over 2147483647 bytes, more than the limit of 8388608
            wasi-junk | internal server error: Cannot deserialize policy validation response: expected ident at line 1 column 2
            wasi-fails | x
            number | internal server error: cannot interpret Gatekeeper policy result
            """)
    void rejectsWhenAGuestBreaksTheProtocol(String policy, String message) throws IOException {
        assertThat(rejection(policy)).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            no-capability | "error: Host error: Policy has not been granted access to the 'net/v1/dns_lookup_host' host capability. The violation has been reported."
            no-resource | error: Host error: Policy has not been granted access to Kubernetes v1/Secret resources. The violation has been reported.
            """)
    void returnsAnErrorToTheGuestForCapabilitiesThatAreNotGranted(String policy, String message) throws IOException {
        var answer = server.http().post("/validate/" + policy, Reviews.allowed());

        assertThat(answer.status()).isEqualTo(200);
        assertThat(message(answer.body())).isEqualTo(message);
    }

    @Test
    void rejectsWhenAGuestNamesAnAddressOutsideItsMemory() throws IOException {
        assertThat(rejection("pointer-request"))
                .matches("internal server error: Guest call failure: out of bounds memory access: \\d+ bytes at"
                        + " 4294967040 of 65536");
    }

    @Test
    void rejectsAMutationWithoutAnObject() throws IOException {
        var answer = server.http().post("/validate/mutates", """
                {"request":{"uid":"u","kind":{"group":"","version":"v1","kind":"Pod"},\
                "resource":{"group":"","version":"v1","resource":"pods"},"operation":"DELETE","userInfo":{},\
                "object":null}}""");

        assertThat(answer.status()).isEqualTo(200);
        assertThatJson(answer.body()).inPath("response").isEqualTo("""
                        {"uid":"u","allowed":false,"auditAnnotations":null,"warnings":null,"status":{"message":"Incoming \
                        object is null, which happens only with DELETE operations, but the policy is attempting a \
                        mutation. This is not allowed"}}""");
    }

    @Test
    void servesTheValidPolicy() throws IOException {
        assertThatJson(server.http().post("/validate/good", Reviews.allowed()).body())
                .inPath("response.allowed")
                .isEqualTo(true);
    }
}
