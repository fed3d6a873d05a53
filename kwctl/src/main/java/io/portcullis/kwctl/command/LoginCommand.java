package io.portcullis.kwctl.command;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.oci.credentials.Credential;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.policy.RegistryFailure;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;

/** {@code kwctl login}: stores the password for a registry after the registry accepts it. */
public final class LoginCommand implements Command {

    public static final String SUMMARY = "Log in to an OCI registry";

    private static final Option USERNAME =
            Option.one("username", "NAME", "Who logs in").withShort('u').required();
    private static final Option PASSWORD_STDIN = Option.flag(
                    "password-stdin", "Take the password from standard input: arguments are seen by others")
            .required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl login", SUMMARY)
                .describedBy("""
                        The registry is asked first. Then the password is kept where docker keeps it, with the credential
                        helper that docker's config.json names, else in that file; kwctl and docker find it there.

                          echo "$TOKEN" | kwctl login --username me --password-stdin ghcr.io""")
                .with(RemoteOptions.OPTIONS)
                .with(USERNAME, PASSWORD_STDIN)
                .taking(Positional.one("registry", "Host, with its port if it has one of its own"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var registry = arguments.first().strip();
        var password = TextFile.readOrStandardInput("-", session, "cannot read the password")
                .lines()
                .findFirst()
                .orElse("");
        if (password.isEmpty()) {
            throw new CommandException("the password on standard input is empty");
        }
        var credential = new Credential.Password(arguments.required(USERNAME), password);
        try (var transport = RemoteOptions.transport(arguments, session)) {
            RemoteOptions.registry(transport, credential).login(registry);
        } catch (ArtifactException e) {
            throw RegistryFailure.of(e);
        }
        var place = RemoteOptions.login(arguments, session).store(registry, credential);
        session.err().println("Logged in to " + registry + "; the password is kept in " + place);
        return KwctlExitCode.SUCCESS;
    }
}
