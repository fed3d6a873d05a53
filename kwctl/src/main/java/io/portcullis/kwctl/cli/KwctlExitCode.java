package io.portcullis.kwctl.cli;

/** The exit codes of the process. Scripts depend on the numbers. */
public enum KwctlExitCode {
    SUCCESS(0),
    /** The command failed, or a test failed. */
    FAILURE(1),
    /** The command line is invalid. */
    USAGE(2),
    /** A policy rejects the request. Used by {@code scan}, and by {@code run} with {@code --exit-code}. */
    REJECTED(3);

    private final int number;

    KwctlExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
