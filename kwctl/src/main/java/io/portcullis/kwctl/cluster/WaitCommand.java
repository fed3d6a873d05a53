package io.portcullis.kwctl.cluster;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;

/** {@code kwctl wait}: returns when a policy reaches a goal, or fails with the cause. */
public final class WaitCommand implements Command {

    public static final String SUMMARY = "Wait until a policy is enforced, or fail with the cause";

    private static final Option FOR = Option.one(
                    "for", "GOAL", "What to wait for: enforced, active, accepted or condition=TYPE[=STATUS]")
            .withDefault("enforced");
    private static final Option FAIL_FAST = Option.choice(
                    "fail-fast",
                    "BOOL",
                    List.of("true", "false"),
                    "Give up as soon as the latest generation has failed, instead of waiting for it to recover")
            .withDefault("true");

    @Override
    public CommandSpec spec() {
        return ClusterOptions.aboutPolicy("kwctl wait", SUMMARY)
                .describedBy("""
                        Ends with 0 once the goal is reached by the policy's latest generation, and with 1 when the time is
                        over or, unless --fail-fast false is given, when that generation has failed.""")
                .with(FOR, FAIL_FAST, ClusterOptions.TIMEOUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var word = arguments.orDefault(FOR);
        var goal = WaitGoal.parse(word);
        var limit = TimeLimit.of(arguments);
        var failFast = arguments.orDefault(FAIL_FAST).equals("true");
        try (var cluster = Cluster.of(arguments, session)) {
            var policy = PolicySelection.policy(arguments, session, cluster);
            var ref = policy.ref();
            var verdict = StatusVerdict.await(
                    cluster, policy, seen -> goal.judge(seen, failFast), limit, state -> progress(state, session));
            switch (verdict) {
                case StatusVerdict.Reached() -> session.out().println(ref.display() + ": " + word);
                case StatusVerdict.Failed(var cause) -> throw new CommandException(ref.display() + " failed: " + cause);
                case StatusVerdict.Waiting(var state) ->
                    throw new CommandException("%s is not %s after %s; %s"
                            .formatted(ref.display(), word, TimeLimit.display(limit), state));
            }
        }
        return KwctlExitCode.SUCCESS;
    }

    static void progress(String state, CommandSession session) {
        session.err().println(state);
        session.err().flush();
    }
}
