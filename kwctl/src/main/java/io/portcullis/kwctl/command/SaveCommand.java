package io.portcullis.kwctl.command;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.artifacts.store.PolicyArchive;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.LocalPolicies;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;

/** {@code kwctl save}: packs policies of the store into one file, for sites without a registry. */
public final class SaveCommand implements Command {

    public static final String SUMMARY = "Save policies to a tar.gz file";

    private static final Option OUTPUT = Option.one("output", "FILE", "Path where the file will be stored")
            .withShort('o')
            .required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl save", SUMMARY)
                .with(RemoteOptions.OPTIONS)
                .with(OUTPUT, PolicyLocation.PULL)
                .taking(Positional.oneOrMore(
                        "policy", "Policies to save: URIs or SHA prefixes of policies in the store"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var uris = arguments.positionals().stream()
                .map(argument -> stored(argument, arguments, session))
                .toList();
        new PolicyArchive(new LocalPolicies(session).store()).save(uris, session.path(arguments.required(OUTPUT)));
        return KwctlExitCode.SUCCESS;
    }

    private static PolicyUri stored(String argument, ParsedArguments arguments, CommandSession session) {
        try {
            var uri = PolicyLocation.require(argument, arguments, session).uri();
            if (uri instanceof PolicyUri.LocalFile) {
                throw new CommandException("cannot save " + argument
                        + ": a file outside of the store has no name to be loaded under; pull or push it first");
            }
            return uri;
        } catch (CommandException e) {
            throw new CommandException("cannot find policy " + argument, e);
        }
    }
}
