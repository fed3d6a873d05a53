package io.portcullis.kwctl.cli;

import io.portcullis.api.yaml.YamlException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.util.ArrayList;
import java.util.List;

/** Renders a failure for standard error: the message, then its causes. */
public final class ErrorText {

    private ErrorText() {}

    public static String of(Throwable failure, boolean withStackTrace) {
        var messages = messages(failure);
        var text = new StringBuilder("Error: ").append(messages.getFirst()).append('\n');
        var causes = messages.subList(1, messages.size());
        if (!causes.isEmpty()) {
            text.append("\nCaused by:\n");
        }
        for (var i = 0; i < causes.size(); i++) {
            text.append("    ")
                    .append(causes.size() > 1 ? i + ": " : "")
                    .append(causes.get(i))
                    .append('\n');
        }
        if (withStackTrace) {
            var trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace));
            text.append("\nStack backtrace:\n").append(trace);
        }
        return text.toString();
    }

    /** Returns one message per failure in the chain. Skips wrappers without their own message. */
    private static List<String> messages(Throwable failure) {
        var messages = new ArrayList<String>();
        for (var current = failure; current != null && messages.size() < 16; current = current.getCause()) {
            var message = message(current);
            if (messages.isEmpty() || !messages.getLast().contains(message)) {
                var isWrapper = current instanceof UncheckedIOException && current.getCause() != null;
                var hasNoMessage = !messages.isEmpty() && current.getMessage() == null;
                if (!isWrapper && !hasNoMessage) {
                    messages.add(message);
                }
            }
            if (current instanceof YamlException) {
                break; // its cause is the same error in the parser's words
            }
        }
        return messages;
    }

    private static String message(Throwable failure) {
        return switch (failure) {
            case CommandException expected -> text(expected);
            case YamlException yaml ->
                text(yaml) + yaml.excerpt().map(line -> ":\n" + line).orElse("");
            case IOException io -> osError(io);
            case RuntimeException runtime
            when isBug(runtime) -> runtime.getClass().getSimpleName() + ": " + text(runtime);
            case Error error -> error.getClass().getSimpleName() + ": " + text(error);
            default -> text(failure);
        };
    }

    private static boolean isBug(RuntimeException failure) {
        return failure.getClass().getName().startsWith("java.lang.");
    }

    private static String text(Throwable failure) {
        var message = failure.getMessage();
        return message == null ? failure.getClass().getSimpleName() : message;
    }

    /** Returns the operating system's error text, which scripts match. Java's exceptions contain only the path. */
    public static String osError(IOException failure) {
        return switch (failure) {
            case NoSuchFileException _ -> "No such file or directory (os error 2)";
            case FileNotFoundException _ -> "No such file or directory (os error 2)";
            case AccessDeniedException _ -> "Permission denied (os error 13)";
            case CharacterCodingException _ -> "it is a binary file; text in UTF-8 is expected";
            case NotDirectoryException _ -> "Not a directory (os error 20)";
            case FileSystemException system when system.getReason() != null -> system.getReason();
            default -> text(failure);
        };
    }
}
