package io.portcullis.kwctl.cluster;

import io.portcullis.api.policy.Policy;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;
import java.util.Optional;

/** {@code kwctl status}: shows the state of policies, and why a policy is not enforced. */
public final class StatusCommand implements Command {

    public static final String SUMMARY = "Show how policies are doing in a cluster, and why one is not enforced";

    private static final Option OUTPUT = OutputFormat.option();

    @Override
    public CommandSpec spec() {
        return ClusterOptions.aboutPolicies("kwctl status", SUMMARY)
                .describedBy("""
                        Of one policy it shows the status, what each replica has loaded, the revisions that are kept, the
                        webhook, memory and quarantined modules of its policy server, and in plain words why it is not enforced and what to do next. What you are not allowed to
                        see is said to be missing.""")
                .with(OUTPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var format = OutputFormat.of(arguments.orDefault(OUTPUT));
        try (var cluster = Cluster.of(arguments, session)) {
            session.out()
                    .print(
                            arguments.positionals().isEmpty()
                                    ? all(arguments, session, cluster, format)
                                    : one(arguments, session, cluster, format));
        }
        return KwctlExitCode.SUCCESS;
    }

    private static String all(ParsedArguments arguments, CommandSession session, Cluster cluster, OutputFormat format) {
        var listing = cluster.policies(PolicyScope.of(arguments));
        PolicySelection.remark(listing, session);
        return format.render(PolicyTable.document(listing.policies()), PolicyTable.text(listing.policies()));
    }

    private static String one(ParsedArguments arguments, CommandSession session, Cluster cluster, OutputFormat format) {
        var report = report(PolicySelection.policy(arguments, session, cluster), session, cluster);
        return format.render(StatusDocument.of(report), StatusText.of(report));
    }

    private static PolicyReport report(Policy policy, CommandSession session, Cluster cluster) {
        var webhook = cluster.webhooks()
                .map(all ->
                        all.stream().filter(known -> known.belongsTo(policy)).findFirst());
        var near = webhook.seen().flatMap(found -> found).flatMap(RegisteredWebhook::serviceNamespace);
        return new PolicyReport(
                policy,
                cluster.revisions(policy, near).map(RevisionRow::of),
                webhook,
                server(policy).map(cluster::replicaReports).orElse(new Reading.Seen<>(List.of())),
                session.clock().instant());
    }

    /** Returns the active PolicyServer, else the one in the spec. */
    private static Optional<String> server(Policy policy) {
        return Optional.ofNullable(PolicyReport.status(policy).activePolicyServer())
                .or(() -> Optional.ofNullable(policy.getSpec())
                        .map(spec -> spec.path("policyServer").asText(""))
                        .filter(name -> !name.isEmpty()));
    }
}
