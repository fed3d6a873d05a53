package io.portcullis.kwctl.cli;

import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;

/** A command of the program. Each run creates a new instance; one thread uses it. */
public interface Command {

    CommandSpec spec();

    /**
     * Runs the command. Results go to the session's standard output.
     *
     * @return the exit code; nearly always {@link KwctlExitCode#SUCCESS}
     * @throws RuntimeException printed with its causes; the process ends with {@link KwctlExitCode#FAILURE}
     */
    KwctlExitCode run(ParsedArguments arguments, CommandSession session);
}
