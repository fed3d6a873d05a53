package io.portcullis.kwctl.cli;

import io.portcullis.kwctl.args.Arguments;
import io.portcullis.kwctl.args.CommandSpec;

/** One verb of the program. Made anew for each run, used by one thread. */
public interface Command {

    CommandSpec spec();

    /**
     * Does the work; results go to the session's standard output.
     *
     * @return how the process ends; nearly always {@link ExitCode#SUCCESS}
     * @throws RuntimeException shown to the user with its causes, ends the process with {@link ExitCode#FAILURE}
     */
    ExitCode run(Arguments arguments, Session session);
}
