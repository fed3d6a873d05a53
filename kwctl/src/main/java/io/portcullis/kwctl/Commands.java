package io.portcullis.kwctl;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandTree;
import io.portcullis.kwctl.cli.CommandTree.Branch;
import io.portcullis.kwctl.cli.CommandTree.Leaf;
import io.portcullis.kwctl.cluster.HistoryCommand;
import io.portcullis.kwctl.cluster.RollbackCommand;
import io.portcullis.kwctl.cluster.StatusCommand;
import io.portcullis.kwctl.cluster.WaitCommand;
import io.portcullis.kwctl.cluster.WhatAppliesCommand;
import io.portcullis.kwctl.command.AnnotateCommand;
import io.portcullis.kwctl.command.BenchCommand;
import io.portcullis.kwctl.command.BuildCommand;
import io.portcullis.kwctl.command.CompletionsCommand;
import io.portcullis.kwctl.command.CopyCommand;
import io.portcullis.kwctl.command.DigestCommand;
import io.portcullis.kwctl.command.DocsCommand;
import io.portcullis.kwctl.command.InfoCommand;
import io.portcullis.kwctl.command.InspectCommand;
import io.portcullis.kwctl.command.LoadCommand;
import io.portcullis.kwctl.command.LoginCommand;
import io.portcullis.kwctl.command.LogoutCommand;
import io.portcullis.kwctl.command.MigrateValuesCommand;
import io.portcullis.kwctl.command.NewCommand;
import io.portcullis.kwctl.command.PoliciesCommand;
import io.portcullis.kwctl.command.PruneCommand;
import io.portcullis.kwctl.command.PullCommand;
import io.portcullis.kwctl.command.PushCommand;
import io.portcullis.kwctl.command.RmCommand;
import io.portcullis.kwctl.command.RunCommand;
import io.portcullis.kwctl.command.SaveCommand;
import io.portcullis.kwctl.command.ScaffoldAdmissionRequestCommand;
import io.portcullis.kwctl.command.ScaffoldArtifactHubCommand;
import io.portcullis.kwctl.command.ScaffoldManifestCommand;
import io.portcullis.kwctl.command.ScaffoldPolicyGroupCommand;
import io.portcullis.kwctl.command.ScaffoldVapCommand;
import io.portcullis.kwctl.command.ScaffoldVerificationConfigCommand;
import io.portcullis.kwctl.command.ScanCommand;
import io.portcullis.kwctl.command.TestCommand;
import io.portcullis.kwctl.command.ValidateSettingsCommand;
import io.portcullis.kwctl.command.VerifyCommand;
import io.portcullis.kwctl.template.PolicyLanguage;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The tree of all commands, in alphabetical order. */
final class Commands {

    private Commands() {}

    static Branch tree() {
        return new Branch(
                "kwctl",
                "Tool to manage Kubewarden policies",
                List.of(
                        leaf("annotate", AnnotateCommand.SUMMARY, AnnotateCommand::new),
                        leaf("bench", BenchCommand.SUMMARY, BenchCommand::new),
                        leaf("build", BuildCommand.SUMMARY, BuildCommand::new),
                        leaf("completions", CompletionsCommand.SUMMARY, () -> new CompletionsCommand(Commands::tree)),
                        leaf("copy", CopyCommand.SUMMARY, CopyCommand::new),
                        leaf("digest", DigestCommand.SUMMARY, DigestCommand::new),
                        leaf("docs", DocsCommand.SUMMARY, () -> new DocsCommand(Commands::tree)),
                        leaf("history", HistoryCommand.SUMMARY, HistoryCommand::new),
                        leaf("info", InfoCommand.SUMMARY, InfoCommand::new),
                        leaf("inspect", InspectCommand.SUMMARY, InspectCommand::new),
                        leaf("load", LoadCommand.SUMMARY, LoadCommand::new),
                        leaf("login", LoginCommand.SUMMARY, LoginCommand::new),
                        leaf("logout", LogoutCommand.SUMMARY, LogoutCommand::new),
                        // The old name of `scaffold manifest`. Tutorials still use it.
                        new Leaf("manifest", ScaffoldManifestCommand.SUMMARY, true, ScaffoldManifestCommand::new),
                        new Branch(
                                "migrate",
                                "Convert configuration of Kubewarden",
                                List.of(leaf("values", MigrateValuesCommand.SUMMARY, MigrateValuesCommand::new))),
                        new Branch("new", "Start a policy", newPolicy()),
                        leaf("policies", PoliciesCommand.SUMMARY, PoliciesCommand::new),
                        leaf("prune", PruneCommand.SUMMARY, PruneCommand::new),
                        leaf("pull", PullCommand.SUMMARY, PullCommand::new),
                        leaf("push", PushCommand.SUMMARY, PushCommand::new),
                        leaf("rm", RmCommand.SUMMARY, RmCommand::new),
                        leaf("rollback", RollbackCommand.SUMMARY, RollbackCommand::new),
                        leaf("run", RunCommand.SUMMARY, RunCommand::new),
                        leaf("save", SaveCommand.SUMMARY, SaveCommand::new),
                        scaffold(),
                        leaf("scan", ScanCommand.SUMMARY, ScanCommand::new),
                        leaf("status", StatusCommand.SUMMARY, StatusCommand::new),
                        leaf("test", TestCommand.SUMMARY, TestCommand::new),
                        leaf("validate-settings", ValidateSettingsCommand.SUMMARY, ValidateSettingsCommand::new),
                        leaf("verify", VerifyCommand.SUMMARY, VerifyCommand::new),
                        leaf("wait", WaitCommand.SUMMARY, WaitCommand::new),
                        leaf("what-applies", WhatAppliesCommand.SUMMARY, WhatAppliesCommand::new)));
    }

    private static List<CommandTree> newPolicy() {
        return Stream.of(PolicyLanguage.values())
                .sorted(Comparator.comparing(PolicyLanguage::keyword))
                .map(language -> leaf(language.keyword(), NewCommand.summary(language), () -> new NewCommand(language)))
                .toList();
    }

    private static Branch scaffold() {
        return new Branch(
                "scaffold",
                "Scaffold a Kubernetes resource or configuration file",
                List.of(
                        leaf(
                                "admission-request",
                                ScaffoldAdmissionRequestCommand.SUMMARY,
                                ScaffoldAdmissionRequestCommand::new),
                        leaf("artifacthub", ScaffoldArtifactHubCommand.SUMMARY, ScaffoldArtifactHubCommand::new),
                        leaf("manifest", ScaffoldManifestCommand.SUMMARY, ScaffoldManifestCommand::new),
                        leaf("policy-group", ScaffoldPolicyGroupCommand.SUMMARY, ScaffoldPolicyGroupCommand::new),
                        leaf("vap", ScaffoldVapCommand.SUMMARY, ScaffoldVapCommand::new),
                        leaf(
                                "verification-config",
                                ScaffoldVerificationConfigCommand.SUMMARY,
                                ScaffoldVerificationConfigCommand::new)));
    }

    private static CommandTree leaf(String name, String summary, Supplier<Command> command) {
        return new Leaf(name, summary, false, command);
    }
}
