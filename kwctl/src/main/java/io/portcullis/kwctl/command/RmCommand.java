package io.portcullis.kwctl.command;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.LocalPolicies;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;

/** {@code kwctl rm}: removes policies from the store. */
public final class RmCommand implements Command {

    public static final String SUMMARY = "Remove a Kubewarden policy from the store";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl rm", SUMMARY)
                .describedBy("Removes nothing when one of several is not there. `kwctl prune` removes by age.")
                .taking(Positional.oneOrMore("uri_or_sha_prefix", "Policy URI or SHA prefix"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var policies = new LocalPolicies(session);
        var found = arguments.positionals().stream()
                .map(argument -> stored(policies, argument))
                .distinct()
                .toList();
        found.forEach(policies.store()::remove);
        return KwctlExitCode.SUCCESS;
    }

    private static PolicyUri stored(LocalPolicies policies, String argument) {
        if (policies.locate(argument) instanceof PolicyUri.LocalFile) {
            throw LocalPolicies.notFound(argument);
        }
        return policies.require(argument).uri();
    }
}
