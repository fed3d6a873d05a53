package io.portcullis.kwctl.cli;

/** How the process ends; scripts rely on the numbers. */
public enum KwctlExitCode {
    SUCCESS(0),
    /** Something went wrong while the command ran, or a test failed. */
    FAILURE(1),
    /** The command line was not understood. */
    USAGE(2),
    /** A policy rejects: of {@code scan}, and of {@code run} with {@code --exit-code}. */
    REJECTED(3);

    private final int number;

    KwctlExitCode(int number) {
        this.number = number;
    }

    public int number() {
        return number;
    }
}
