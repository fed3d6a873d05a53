package io.portcullis.process.cli;

/** The exit codes of our programs. */
public enum ExitCode {
    OK(0),
    /** The program could not do its work. */
    FAILURE(1),
    /** The command line or the environment is invalid. */
    USAGE(2);

    private final int code;

    ExitCode(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }
}
