package io.portcullis.process.cli;

/** What the user asked for makes no sense; the message is the one line they see, and the exit code is 2. */
public final class UsageException extends RuntimeException {

    public UsageException(String message) {
        super(message);
    }
}
