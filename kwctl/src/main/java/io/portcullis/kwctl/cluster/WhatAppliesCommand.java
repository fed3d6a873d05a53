package io.portcullis.kwctl.cluster;

import io.fabric8.kubernetes.api.model.Namespace;
import io.portcullis.api.json.FlatObject;
import io.portcullis.api.policy.Policy;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cluster.Application.TargetNamespace;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import io.portcullis.process.args.SimilarWords;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** {@code kwctl what-applies}: shows the policies that evaluate requests in a namespace. */
public final class WhatAppliesCommand implements Command {

    public static final String SUMMARY = "Show which policies apply to requests in a namespace";

    private static final Option RESOURCE = Option.one(
            "resource", "RESOURCE", "Only requests about this resource: pods, pods/exec, deployments.apps, …");
    private static final Option OPERATION = Option.choice(
            "operation", "OPERATION", List.of("CREATE", "UPDATE", "DELETE", "CONNECT"), "Only these requests");
    private static final Option OUTPUT = OutputFormat.option();

    @Override
    public CommandSpec spec() {
        return ClusterOptions.aboutCluster("kwctl what-applies", SUMMARY)
                .describedBy("""
                        Selectors are compared with the labels that the namespace really has. What depends on the object or
                        the request, objectSelector and matchConditions, is shown under ONLY IF. The rules of the registered
                        webhook count; of policies without one, their own.""")
                .taking(Positional.one("namespace", "The namespace that requests are made in"))
                .with(RESOURCE, OPERATION, OUTPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var filter = RequestFilter.of(arguments.value(RESOURCE), arguments.value(OPERATION));
        try (var cluster = Cluster.of(arguments, session)) {
            var place = place(arguments.first(), cluster);
            var listing = cluster.policies(PolicyScope.ALL);
            PolicySelection.remark(listing, session);
            var webhooks = webhooks(cluster, session);
            var applications = new ArrayList<Application>();
            for (Policy policy : listing.policies()) {
                application(policy, webhooks, place, filter, session).ifPresent(applications::add);
            }
            session.out()
                    .print(OutputFormat.of(arguments.orDefault(OUTPUT))
                            .render(
                                    ApplicationTable.document(applications),
                                    ApplicationTable.text(
                                            place.name(),
                                            applications,
                                            listing.policies().size())));
        }
        return KwctlExitCode.SUCCESS;
    }

    private static TargetNamespace place(String name, Cluster cluster) {
        return cluster.namespace(name).map(WhatAppliesCommand::place).orElseThrow(() -> {
            var tip = cluster.namespaceNames()
                    .seen()
                    .flatMap(names -> SimilarWords.to(name, names))
                    .map(similar -> "; did you mean " + similar + "?")
                    .orElse("");
            return new CommandException("there is no namespace \"" + name + "\"" + tip);
        });
    }

    private static TargetNamespace place(Namespace namespace) {
        return new TargetNamespace(
                namespace.getMetadata().getName(),
                Objects.requireNonNullElse(namespace.getMetadata().getLabels(), Map.of()));
    }

    private static List<RegisteredWebhook> webhooks(Cluster cluster, CommandSession session) {
        return switch (cluster.webhooks()) {
            case Reading.Seen<List<RegisteredWebhook>>(var webhooks) -> webhooks;
            case Reading.Hidden<List<RegisteredWebhook>>(var why) -> {
                session.err().println("note: " + why + "; the rules are those that the policies ask for");
                yield List.of();
            }
        };
    }

    /** Returns the application of a policy. One invalid policy must not hide the other policies. */
    private static Optional<Application> application(
            Policy policy,
            List<RegisteredWebhook> webhooks,
            TargetNamespace place,
            RequestFilter filter,
            CommandSession session) {
        var webhook = webhooks.stream().filter(known -> known.belongsTo(policy)).findFirst();
        try {
            return Application.of(policy, webhook, place, filter);
        } catch (FlatObject.MalformedException e) {
            session.err()
                    .println("note: " + policy.ref().display() + " is left out: "
                            + PlainText.of(String.valueOf(e.getMessage())));
            return Optional.empty();
        }
    }
}
