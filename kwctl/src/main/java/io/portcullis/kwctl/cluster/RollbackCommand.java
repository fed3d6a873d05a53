package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.api.policy.RevisionSummary;
import io.portcullis.api.revision.PolicyRevision;
import io.portcullis.core.lifecycle.GitOpsOwner;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;
import java.util.Optional;

/** {@code kwctl rollback}: asks the controller to restore an earlier generation of a policy. */
public final class RollbackCommand implements Command {

    public static final String SUMMARY = "Restore an earlier generation of a policy in a cluster";

    private static final Option TO = Option.one("to", "GENERATION", "The generation to restore, or previous")
            .withDefault("previous");
    private static final Option DIFF =
            Option.flag("diff", "Show what the rollback would change in the policy, and change nothing");
    private static final Option WAIT = Option.flag("wait", "Wait until the restored content is enforced");

    @Override
    public CommandSpec spec() {
        return ClusterOptions.aboutPolicy("kwctl rollback", SUMMARY)
                .describedBy("""
                        The controller writes the content of that generation back as a new generation, with the very modules
                        it had. The present one is served until every replica has loaded the restored one. `kwctl history`
                        lists the generations that are kept. --diff compares settings, rules and all other fields only if you may
                        read PolicyRevisions; else it compares the mode and the digests of the modules.""")
                .with(TO, DIFF, WAIT, ClusterOptions.TIMEOUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var limit = TimeLimit.of(arguments);
        if (arguments.has(DIFF) && arguments.has(WAIT)) {
            throw new CommandException("--diff changes nothing, so there is nothing to --wait for");
        }
        try (var cluster = Cluster.of(arguments, session)) {
            var policy = PolicySelection.policy(arguments, session, cluster);
            var ref = policy.ref();
            var kept = KeptRevisions.of(policy, () -> stored(cluster, policy));
            var plan = RollbackPlan.of(
                    policy, arguments.orDefault(TO), kept, session.clock().instant());
            GitOpsOwner.warning(policy).ifPresent(warning -> session.err().println("Warning: " + warning));
            if (arguments.has(DIFF)) {
                session.out().print(diff(cluster, policy, plan, kept));
                return KwctlExitCode.SUCCESS;
            }
            var asked = cluster.requestRollback(ref, plan.request());
            var before = Diagnosis.generation(asked);
            session.out().println(plan.explanation());
            session.out().flush();
            if (!arguments.has(WAIT)) {
                session.out()
                        .println("The controller takes it from here; `kwctl wait " + PolicyName.unambiguous(ref)
                                + "` returns once it is enforced.");
                return KwctlExitCode.SUCCESS;
            }
            var verdict = StatusVerdict.await(
                    cluster,
                    asked,
                    seen -> RollbackPlan.judge(seen, before),
                    limit,
                    state -> WaitCommand.progress(state, session));
            session.out().println(result(ref, verdict, TimeLimit.display(limit)));
        }
        return KwctlExitCode.SUCCESS;
    }

    private static String diff(Cluster cluster, Policy policy, RollbackPlan plan, Reading<List<RevisionSummary>> kept) {
        return switch (kept) {
            case Reading.Hidden<List<RevisionSummary>>(var why) ->
                throw new CommandException("cannot compare: which revisions are kept is not known: " + why);
            case Reading.Seen<List<RevisionSummary>>(var revisions) ->
                RollbackDiff.of(policy, Long.parseLong(plan.request()), revisions, stored(cluster, policy));
        };
    }

    private static Reading<List<PolicyRevision>> stored(Cluster cluster, Policy policy) {
        return cluster.revisions(policy, namespaceOfRevisions(cluster, policy));
    }

    /** Returns the namespace of the webhook's service. Used when the user may not list revisions in all namespaces. */
    private static Optional<String> namespaceOfRevisions(Cluster cluster, Policy policy) {
        return cluster.webhooks()
                .seen()
                .flatMap(all ->
                        all.stream().filter(known -> known.belongsTo(policy)).findFirst())
                .flatMap(RegisteredWebhook::serviceNamespace);
    }

    private static String result(PolicyRef ref, StatusVerdict verdict, String limit) {
        return switch (verdict) {
            case StatusVerdict.Reached() -> ref.display() + " is rolled back and enforced.";
            case StatusVerdict.Failed(var cause) ->
                throw new CommandException("the rollback of " + ref.display() + " failed: " + cause);
            case StatusVerdict.Waiting(var state) ->
                throw new CommandException(
                        "the rollback of %s is not done after %s; %s".formatted(ref.display(), limit, state));
        };
    }
}
