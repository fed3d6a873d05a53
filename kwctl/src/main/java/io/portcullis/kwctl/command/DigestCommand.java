package io.portcullis.kwctl.command;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.RegistryFailure;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;

/** {@code kwctl digest}: prints the digest of the manifest that a reference currently resolves to. */
public final class DigestCommand implements Command {

    public static final String SUMMARY = "Fetch the digest of a policy's OCI manifest";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl digest", SUMMARY)
                .with(RemoteOptions.OPTIONS)
                .taking(Positional.one("uri", "Policy URI"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var typed = arguments.first();
        var image = RemoteOptions.image(typed);
        try (var transport = RemoteOptions.transport(arguments, session)) {
            var digest = RemoteOptions.registry(transport, arguments, session).digest(image);
            session.out().println(typed + "@" + digest);
        } catch (ArtifactException e) {
            throw RegistryFailure.of(e);
        }
        return KwctlExitCode.SUCCESS;
    }
}
