package io.portcullis.process.cli;

/** How our programs end. */
public enum ExitCode {
    OK(0),
    /** The program could not do its work. */
    FAILURE(1),
    /** The command line or the environment makes no sense. */
    USAGE(2);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
