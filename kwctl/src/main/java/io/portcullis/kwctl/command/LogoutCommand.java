package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;

/** {@code kwctl logout}: removes the password for a registry. */
public final class LogoutCommand implements Command {

    public static final String SUMMARY = "Log out of an OCI registry";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl logout", SUMMARY)
                .with(RemoteOptions.DOCKER_CONFIG)
                .taking(Positional.one("registry", "Host, with its port if it has one of its own"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var registry = arguments.first().strip();
        if (!RemoteOptions.login(arguments, session).remove(registry)) {
            throw new CommandException("not logged in to " + registry);
        }
        return KwctlExitCode.SUCCESS;
    }
}
