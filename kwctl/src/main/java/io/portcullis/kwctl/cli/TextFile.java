package io.portcullis.kwctl.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads files that the user names in arguments. The caller supplies the error message. */
public final class TextFile {

    private TextFile() {}

    /** @param failure the error message when the file cannot be read; the reason follows as the cause */
    public static String read(Path file, String failure) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new CommandException(failure, e);
        }
    }

    /** @param name a file, or {@code -} for standard input */
    public static String readOrStandardInput(String name, CommandSession session, String failure) {
        if (!name.equals("-")) {
            return read(session.path(name), failure);
        }
        try {
            return new String(session.streams().in().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CommandException(failure, e);
        }
    }

    public static byte[] readBytes(Path file, String failure) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new CommandException(failure, e);
        }
    }
}
