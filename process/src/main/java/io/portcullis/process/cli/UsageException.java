package io.portcullis.process.cli;

/** The command line is invalid. The user sees the message as one line; the exit code is 2. */
public final class UsageException extends RuntimeException {

    public UsageException(String message) {
        super(message);
    }
}
