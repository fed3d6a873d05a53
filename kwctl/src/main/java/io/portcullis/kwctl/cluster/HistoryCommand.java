package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;
import java.util.Optional;

/** {@code kwctl history}: lists the generations of a policy that are kept, and which of them can be restored. */
public final class HistoryCommand implements Command {

    public static final String SUMMARY = "List the generations of a policy that a cluster keeps for rollback";

    private static final Option OUTPUT = OutputFormat.option();

    @Override
    public CommandSpec spec() {
        return ClusterOptions.aboutPolicy("kwctl history", SUMMARY)
                .describedBy("""
                        Of each generation it shows the age, the mode, the digests of the modules, whether the webhook points at
                        it, whether it was ever enforced, and whether `kwctl rollback` can restore it. The status of the policy
                        has all of this: you need access to the policy, and to nothing else.""")
                .with(OUTPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var format = OutputFormat.of(arguments.orDefault(OUTPUT));
        try (var cluster = Cluster.of(arguments, session)) {
            var policy = PolicySelection.policy(arguments, session, cluster);
            var kept = KeptRevisions.of(policy, () -> cluster.revisions(policy, Optional.empty()));
            switch (kept) {
                case Reading.Hidden<List<RevisionSummary>>(var why) ->
                    throw new CommandException("the status of %s lists no revisions, and %s"
                            .formatted(policy.ref().display(), why));
                case Reading.Seen<List<RevisionSummary>>(var revisions) ->
                    session.out()
                            .print(format.render(
                                    HistoryText.document(policy, revisions),
                                    revisions.isEmpty()
                                            ? "No generation of " + policy.ref().display() + " is kept.\n"
                                            : HistoryText.table(
                                                            revisions,
                                                            PolicyReport.status(policy)
                                                                    .activeGeneration(),
                                                            session.clock().instant())
                                                    + HistoryText.advice(policy, revisions)));
            }
        }
        return KwctlExitCode.SUCCESS;
    }
}
