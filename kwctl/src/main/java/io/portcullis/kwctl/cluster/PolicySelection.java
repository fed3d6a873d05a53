package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.kwctl.args.Arguments;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.Session;

/** Finds the policy that a command line names. */
final class PolicySelection {

    private PolicySelection() {}

    static Policy policy(Arguments arguments, Session session, Cluster cluster) {
        var name = PolicyName.parse(arguments.first(), PolicyScope.of(arguments));
        var listing = cluster.policies(name.scope());
        try {
            return PolicyLookup.find(name, listing.policies());
        } catch (CommandException e) {
            // It may exist where this user may not look.
            remark(listing, session);
            throw e;
        }
    }

    static void remark(Cluster.Listing listing, Session session) {
        listing.remarks().forEach(remark -> session.err().println("note: " + remark));
    }
}
