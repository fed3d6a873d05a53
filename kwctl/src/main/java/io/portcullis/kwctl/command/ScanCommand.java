package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.cluster.ClusterPolicies;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.kwctl.run.Evaluation;
import io.portcullis.kwctl.run.MatchOptions;
import io.portcullis.kwctl.run.Modules;
import io.portcullis.kwctl.run.PolicyFile;
import io.portcullis.kwctl.scan.Finding;
import io.portcullis.kwctl.scan.Finding.Verdict;
import io.portcullis.kwctl.scan.ManifestScan;
import io.portcullis.kwctl.scan.ObjectFiles;
import io.portcullis.kwctl.scan.ScanReport;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** {@code kwctl scan}: evaluates manifests with policies before they reach a cluster. */
public final class ScanCommand implements Command {

    public static final String SUMMARY = "Judge Kubernetes manifests by policies, as a cluster would";

    private static final Duration LIMIT = Duration.ofSeconds(10);
    private static final List<String> EVERYTHING = List.of("*");

    private static final Option ALL =
            Option.flag("all", "Report also what would be allowed, mutated or not asked about");
    private static final Option FAIL_ON = Option.choice(
                    "fail-on",
                    "VERDICT",
                    List.of("deny", "monitor", "never"),
                    "What ends the command with code 3: a rejection, also one that is only monitored, or nothing")
            .withDefault("deny");
    private static final Option NAMESPACE = Option.one("namespace", "NAME", "Where objects go that name no namespace")
            .withShort('n')
            .withDefault("default");
    private static final Option OUTPUT = Option.choice("output", "FORMAT", ScanReport.names(), "How to report")
            .withShort('o')
            .withDefault("text");
    private static final Option POLICIES = Option.many(
                    "policies", "FILE", "YAML file with policies and policy groups; may be repeated")
            .withShort('p');
    private static final Option REPORT = Option.one("report-path", "FILE", "File to write the report to");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scan", SUMMARY)
                .describedBy("""
                        Every object is judged as if it were created, by those policies whose rules, selectors and
                        matchConditions match; policies that mutate come first, and the others see what they changed.
                        Labels of namespaces and plural names of custom resources are taken from the namespaces and
                        definitions that are scanned along.

                          helm template shop ./chart | kwctl scan --policies policies.yaml -

                        The exit code is 3 when something would be rejected.""")
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(ClusterPolicies.OPTIONS)
                .with(
                        ALL,
                        FAIL_ON,
                        NAMESPACE,
                        MatchOptions.NAMESPACE_LABEL,
                        PolicyLocation.OFFLINE,
                        OUTPUT,
                        POLICIES,
                        REPORT)
                .taking(Positional.oneOrMore("path", "Manifests, directories of them, or '-' for standard input"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var definitions = definitions(arguments, session);
        var objects = ObjectFiles.read(arguments.positionals(), session);
        var context = new ManifestScan.ScanContext(
                arguments.orDefault(NAMESPACE),
                MatchOptions.labels(arguments.values(MatchOptions.NAMESPACE_LABEL)),
                new ResourceTypeTable(session).cached());
        try (var source = new PolicyLocation(arguments, session);
                var evaluation = new Evaluation(
                        LocalModuleCache.in(session.directories().kwctlCache().resolve("modules")),
                        Optional.of(LIMIT),
                        arguments,
                        session)) {
            var findings = new ManifestScan(evaluation, new Modules(source), context).run(definitions, objects);
            report(findings, arguments, session);
            return fails(findings, arguments.orDefault(FAIL_ON)) ? KwctlExitCode.REJECTED : KwctlExitCode.SUCCESS;
        }
    }

    private static List<PolicyFile.Definition> definitions(ParsedArguments arguments, CommandSession session) {
        var definitions = new ArrayList<PolicyFile.Definition>();
        for (var file : arguments.values(POLICIES)) {
            definitions.addAll(PolicyFile.parse(
                    file, TextFile.read(session.path(file), "Cannot open YAML file " + file), EVERYTHING));
        }
        List<JsonNode> inCluster =
                ClusterPolicies.wanted(arguments) ? ClusterPolicies.read(arguments, session) : List.of();
        if (!inCluster.isEmpty()) {
            definitions.addAll(PolicyFile.of(inCluster, EVERYTHING));
        }
        if (definitions.isEmpty()) {
            throw new CommandException("no policies: give --policies or --from-cluster");
        }
        return definitions;
    }

    private static void report(List<Finding> findings, ParsedArguments arguments, CommandSession session) {
        var format = ScanReport.of(arguments.orDefault(OUTPUT));
        var file = arguments.value(REPORT);
        if (file.isEmpty()) {
            session.out()
                    .print(format.render(
                            findings, arguments.has(ALL), session.terminal().outStyled()));
            return;
        }
        try {
            Files.writeString(session.path(file.get()), format.render(findings, arguments.has(ALL), false));
        } catch (IOException e) {
            throw new CommandException("cannot create file " + file.get(), e);
        }
    }

    private static boolean fails(List<Finding> findings, String failOn) {
        return findings.stream().map(Finding::verdict).anyMatch(verdict -> switch (failOn) {
            case "deny" -> verdict == Verdict.REJECTED;
            case "monitor" -> verdict == Verdict.REJECTED || verdict == Verdict.MONITORED;
            default -> false;
        });
    }
}
