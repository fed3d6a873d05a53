package io.portcullis.kwctl.command;

import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.kwctl.SamplePolicies;
import io.portcullis.kwctl.metadata.ModuleBinary;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Modules that are wrong in one way each. */
final class BrokenModules {

    private static final byte[] EMPTY = {0, 'a', 's', 'm', 1, 0, 0, 0};

    private BrokenModules() {}

    static void writeInto(Path directory) throws IOException {
        var policy = Files.readAllBytes(Path.of(SamplePolicies.PRIVILEGED_PODS));
        Files.write(
                directory.resolve("odd.wasm"),
                ModuleBinary.parse(policy)
                        .withCustomSection(MetadataSection.NAME, "{\"rules\":1}".getBytes(StandardCharsets.UTF_8))
                        .bytes());
        // A type section that promises one type and holds none.
        Files.write(directory.resolve("broken.wasm"), concat(EMPTY, new byte[] {1, 1, 1}));
        Files.write(directory.resolve("empty.wasm"), EMPTY);
    }

    private static byte[] concat(byte[] a, byte[] b) {
        var all = new byte[a.length + b.length];
        System.arraycopy(a, 0, all, 0, a.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }
}
