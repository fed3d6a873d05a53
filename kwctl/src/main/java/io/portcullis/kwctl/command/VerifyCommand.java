package io.portcullis.kwctl.command;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;

/** {@code kwctl verify}: verifies the signatures of a policy without pulling it. */
public final class VerifyCommand implements Command {

    public static final String SUMMARY = "Verify a Kubewarden policy from a given URI using Sigstore";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl verify", SUMMARY)
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .taking(Positional.one("uri", "Policy URI: registry:// or an image name"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        try (var source = new PolicyLocation(arguments, session)) {
            if (!source.isVerifying()) {
                throw new CommandException("could not retrieve sigstore options: give verification flags,"
                        + " --verification-config-path, or write "
                        + session.directories().verificationConfigFile());
            }
            switch (PolicyUri.parse(arguments.first())) {
                case PolicyUri.Registry registry -> source.verify(registry);
                case PolicyUri.Web web -> throw notAnImage(web);
                case PolicyUri.LocalFile file -> throw notAnImage(file);
            }
        }
        return KwctlExitCode.SUCCESS;
    }

    private static CommandException notAnImage(PolicyUri uri) {
        return new CommandException("Policy " + uri + " cannot be verified: only policies from registries are signed");
    }
}
