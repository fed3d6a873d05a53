package io.portcullis.kwctl.command;

import io.portcullis.kwctl.args.Arguments;
import io.portcullis.kwctl.args.CommandSpec;
import io.portcullis.kwctl.args.Positional;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.ExitCode;
import io.portcullis.kwctl.cli.Session;
import io.portcullis.kwctl.policy.RemoteOptions;

/** {@code kwctl logout}: forgets the password for a registry. */
public final class LogoutCommand implements Command {

    public static final String SUMMARY = "Log out of an OCI registry";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl logout", SUMMARY)
                .with(RemoteOptions.DOCKER_CONFIG)
                .taking(Positional.one("registry", "Host, with its port if it has one of its own"));
    }

    @Override
    public ExitCode run(Arguments arguments, Session session) {
        var registry = arguments.first().strip();
        if (!RemoteOptions.login(arguments, session).remove(registry)) {
            throw new CommandException("not logged in to " + registry);
        }
        return ExitCode.SUCCESS;
    }
}
