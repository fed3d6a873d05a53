package io.portcullis.kwctl.command;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.kwctl.args.Arguments;
import io.portcullis.kwctl.args.CommandSpec;
import io.portcullis.kwctl.args.Positional;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.ExitCode;
import io.portcullis.kwctl.cli.Session;
import io.portcullis.kwctl.policy.LocalPolicies;

/** {@code kwctl rm}: takes a policy out of the store. */
public final class RmCommand implements Command {

    public static final String SUMMARY = "Remove a Kubewarden policy from the store";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl rm", SUMMARY)
                .taking(Positional.one("uri_or_sha_prefix", "Policy URI or SHA prefix"));
    }

    @Override
    public ExitCode run(Arguments arguments, Session session) {
        var policies = new LocalPolicies(session);
        if (policies.locate(arguments.first()) instanceof PolicyUri.LocalFile) {
            throw LocalPolicies.notFound(arguments.first());
        }
        policies.store().remove(policies.require(arguments.first()).uri());
        return ExitCode.SUCCESS;
    }
}
