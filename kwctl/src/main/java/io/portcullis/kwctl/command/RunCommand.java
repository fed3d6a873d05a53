package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.run.ResultFormat;
import io.portcullis.kwctl.run.RunOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;

/** {@code kwctl run}: evaluates a request with policies on this machine. */
public final class RunCommand implements Command {

    public static final String SUMMARY = "Run a Kubewarden policy from a given URI";

    private static final Option EXIT_CODE =
            Option.flag("exit-code", "Exit with code 3 when a policy rejects the request, instead of 0");
    private static final Option OUTPUT = Option.choice(
                    "output", "FORMAT", ResultFormat.names(), "How to print the verdict")
            .withShort('o')
            .withDefault("json");

    @Override
    public CommandSpec spec() {
        return RunOptions.describe(CommandSpec.of("kwctl run", SUMMARY))
                .describedBy("""
                        The policy is a file, a URI, the SHA prefix of a stored policy, or a YAML file with policies and
                        policy groups as they are applied to a cluster. In the latter case every policy of the file judges
                        the same request; mode, message, mutating, settings and contextAwareResources are honoured, and
                        --settings-*, --execution-mode and --allow-context-aware are not used. Rules, selectors and
                        matchConditions count only with --match.

                        A rejected request is a successful run: the exit code is 0.""")
                .with(EXIT_CODE, OUTPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var format = ResultFormat.of(arguments.orDefault(OUTPUT));
        var rejected = false;
        try (var run = RunOptions.prepare(arguments, session)) {
            for (var policy : run.policies()) {
                var response = run.judge(policy);
                rejected |= !response.allowed();
                session.out().print(format.render(response, run.request(), policy.id()));
                session.out().flush();
            }
        }
        return rejected && arguments.has(EXIT_CODE) ? KwctlExitCode.REJECTED : KwctlExitCode.SUCCESS;
    }
}
