package io.portcullis.kwctl.command;

import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.kwctl.metadata.EditableModule;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Invalid modules, each with one defect. */
final class BrokenModules {

    private static final String METADATA =
            "{\"protocolVersion\":\"%s\",\"rules\":[],\"mutating\":false,\"executionMode\":\"%s\"%s}";
    private static final byte[] EMPTY = {0, 'a', 's', 'm', 1, 0, 0, 0};

    private BrokenModules() {}

    static void writeInto(Path directory) throws IOException {
        var policy = Files.readAllBytes(Path.of(SamplePolicies.PRIVILEGED_PODS));
        write(directory, "odd.wasm", policy, "{\"rules\":1}");
        write(directory, "nojson.wasm", policy, "nonsense");
        write(directory, "mode.wasm", policy, METADATA.formatted("v1", "opa", ""));
        write(directory, "noprotocol.wasm", policy, "{\"rules\":[],\"mutating\":false}");
        write(
                directory,
                "new.wasm",
                policy,
                METADATA.formatted("v1", "kubewarden-wapc", ",\"minimumKubewardenVersion\":\"99.0.0\""));
        var rego = EditableModule.parse(Files.readAllBytes(Path.of(SamplePolicies.OPA)));
        Files.write(
                directory.resolve("rego.wasm"),
                rego.without(MetadataSection.NAME).bytes());
        // A type section that declares one type and contains none.
        Files.write(directory.resolve("broken.wasm"), concat(EMPTY, new byte[] {1, 1, 1}));
        Files.write(directory.resolve("empty.wasm"), EMPTY);
    }

    /** Modules without code, each with a different digest. */
    static byte[] numbered(int number) {
        return concat(EMPTY, new byte[] {0, 3, 1, 'n', (byte) number});
    }

    private static void write(Path directory, String name, byte[] module, String metadata) throws IOException {
        Files.write(
                directory.resolve(name),
                EditableModule.parse(module)
                        .withCustomSection(MetadataSection.NAME, metadata.getBytes(StandardCharsets.UTF_8))
                        .bytes());
    }

    private static byte[] concat(byte[] a, byte[] b) {
        var all = new byte[a.length + b.length];
        System.arraycopy(a, 0, all, 0, a.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }
}
