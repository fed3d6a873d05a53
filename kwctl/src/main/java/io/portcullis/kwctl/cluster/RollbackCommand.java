package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.api.policy.PolicyRef;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.Optional;

/** {@code kwctl rollback}: asks the controller to restore an earlier generation of a policy. */
public final class RollbackCommand implements Command {

    public static final String SUMMARY = "Restore an earlier generation of a policy in a cluster";

    private static final Option TO = Option.one("to", "GENERATION", "The generation to restore, or previous")
            .withDefault("previous");
    private static final Option WAIT = Option.flag("wait", "Wait until the restored content is enforced");

    @Override
    public CommandSpec spec() {
        return ClusterOptions.aboutPolicy("kwctl rollback", SUMMARY)
                .describedBy("""
                        The controller writes the content of that generation back as a new generation, with the very modules
                        it had. The present one is served until every replica has loaded the restored one. `kwctl status`
                        lists the revisions that are kept.""")
                .with(TO, WAIT, ClusterOptions.TIMEOUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var limit = TimeLimit.of(arguments);
        try (var cluster = Cluster.of(arguments, session)) {
            var policy = PolicySelection.policy(arguments, session, cluster);
            var ref = policy.ref();
            var revisions = cluster.revisions(policy, namespaceOfRevisions(cluster, policy))
                    .map(RevisionRow::of);
            var plan = RollbackPlan.of(
                    policy, arguments.orDefault(TO), revisions, session.clock().instant());
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
