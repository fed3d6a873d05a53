package io.portcullis.evaluator.metadata;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.wasm.InvalidModuleException;
import io.portcullis.wasm.binary.BinaryReader;
import io.portcullis.wasm.binary.ModuleSections;
import java.util.Optional;

/**
 * Finds the metadata in a module's binary: the first custom section with the name {@link #NAME}. Does not compile the
 * module.
 */
public final class MetadataSection {

    public static final String NAME = "io.kubewarden.metadata";

    /** The maximum size. Policies include their documentation here; the largest published section has 60 KiB. */
    static final int MAX_BYTES = 1 << 20;

    private MetadataSection() {}

    /**
     * @return the unparsed content of the section
     * @throws PolicyLoadException if the bytes are not a module or the section lengths are inconsistent
     */
    public static Optional<byte[]> in(byte[] wasm) {
        if (!BinaryReader.hasHeader(wasm)) {
            throw new PolicyLoadException(Reason.INVALID_MODULE, "invalid wasm file", null);
        }
        var reader = BinaryReader.ofSections(wasm);
        while (reader.hasMore()) {
            var content = find(reader);
            if (content.isPresent()) {
                return content;
            }
        }
        return Optional.empty();
    }

    /** Reads one section, and returns its content if it has the metadata. */
    private static Optional<byte[]> find(BinaryReader reader) {
        try {
            var section = reader.section();
            var content = section.content();
            if (section.id() != ModuleSections.CUSTOM || !content.name().equals(NAME)) {
                return Optional.empty();
            }
            if (content.remaining() > MAX_BYTES) {
                throw broken(
                        "the section %s has %d bytes, the limit is %d".formatted(NAME, content.remaining(), MAX_BYTES),
                        content.position());
            }
            return Optional.of(content.rest());
        } catch (InvalidModuleException e) {
            throw broken("unexpected end-of-file", reader.position());
        }
    }

    private static PolicyLoadException broken(String why, int offset) {
        return new PolicyLoadException(
                Reason.INVALID_MODULE,
                "cannot parse custom section of wasm module: %s (at offset 0x%x)".formatted(why, offset),
                null);
    }
}
