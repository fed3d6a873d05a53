package io.portcullis.kwctl.cli;

import io.portcullis.kwctl.args.CommandSpec;
import io.portcullis.kwctl.args.ParsedArguments;

/** One verb of the program. Made anew for each run, used by one thread. */
public interface Command {

    CommandSpec spec();

    /**
     * Does the work; results go to the session's standard output.
     *
     * @return how the process ends; nearly always {@link KwctlExitCode#SUCCESS}
     * @throws RuntimeException shown to the user with its causes, ends the process with {@link KwctlExitCode#FAILURE}
     */
    KwctlExitCode run(ParsedArguments arguments, CommandSession session);
}
