package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.process.args.ParsedArguments;

/** Finds the policy that a command line names. */
final class PolicySelection {

    private PolicySelection() {}

    static Policy policy(ParsedArguments arguments, CommandSession session, Cluster cluster) {
        var name = PolicyName.parse(arguments.first(), PolicyScope.of(arguments));
        var listing = cluster.policies(name.scope());
        try {
            return PolicyLookup.find(name, listing.policies());
        } catch (CommandException e) {
            // The policy may exist in a namespace that this user may not list.
            remark(listing, session);
            throw e;
        }
    }

    static void remark(Cluster.Listing listing, CommandSession session) {
        listing.remarks().forEach(remark -> session.err().println("note: " + remark));
    }
}
