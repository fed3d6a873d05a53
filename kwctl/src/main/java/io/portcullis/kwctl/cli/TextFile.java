package io.portcullis.kwctl.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads files that the user names in arguments. The caller supplies the error message. A file larger than the limit is
 * refused before it is read, and a stream of unknown size is read up to the limit only.
 */
public final class TextFile {

    static final int MAX_TEXT_BYTES = 64 << 20;

    /** The size of the largest module that kwctl reads, as for a policy server. */
    private static final int MAX_MODULE_BYTES = 100 << 20;

    private TextFile() {}

    /** @param failure the error message when the file cannot be read; the reason follows as the cause */
    public static String read(Path file, String failure) {
        return text(bounded(file, MAX_TEXT_BYTES, failure), failure);
    }

    /** @param name a file, or {@code -} for standard input */
    public static String readOrStandardInput(String name, CommandSession session, String failure) {
        if (!name.equals("-")) {
            return read(session.path(name), failure);
        }
        try {
            return text(bounded(session.streams().in(), MAX_TEXT_BYTES, failure), failure);
        } catch (IOException e) {
            throw new CommandException(failure, e);
        }
    }

    public static byte[] readBytes(Path file, String failure) {
        return bounded(file, MAX_MODULE_BYTES, failure);
    }

    private static byte[] bounded(Path file, int limit, String failure) {
        try {
            if (Files.size(file) > limit) {
                throw tooLarge(limit, failure);
            }
            try (var in = Files.newInputStream(file)) {
                return bounded(in, limit, failure);
            }
        } catch (IOException e) {
            throw new CommandException(failure, e);
        }
    }

    private static byte[] bounded(InputStream in, int limit, String failure) throws IOException {
        var bytes = in.readNBytes(limit + 1);
        if (bytes.length > limit) {
            throw tooLarge(limit, failure);
        }
        return bytes;
    }

    private static CommandException tooLarge(int limit, String failure) {
        return because(failure, "it is larger than " + (limit >> 20) + " MiB; check that it is the right file");
    }

    /** Decodes strictly. YAML and JSON contain no NUL character, but almost every binary file does. */
    private static String text(byte[] bytes, String failure) {
        try {
            var text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.indexOf('\0') < 0) {
                return text;
            }
            throw binary(failure);
        } catch (CharacterCodingException _) {
            // The decoder's message contains only a number of bytes.
            throw binary(failure);
        }
    }

    private static CommandException binary(String failure) {
        return because(failure, "it is a binary file; text in UTF-8 is expected");
    }

    private static CommandException because(String failure, String reason) {
        return new CommandException(failure, new CommandException(reason));
    }
}
