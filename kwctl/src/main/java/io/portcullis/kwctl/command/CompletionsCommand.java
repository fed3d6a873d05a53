package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.CommandTree;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.Page;
import io.portcullis.kwctl.completion.Shell;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;

/** {@code kwctl completions}: prints a completion script for a shell. */
public final class CompletionsCommand implements Command {

    public static final String SUMMARY = "Generate shell completions";

    private static final Option SHELL = Option.choice(
                    "shell",
                    "VALUE",
                    Arrays.stream(Shell.values()).map(Shell::shellName).toList(),
                    "Shell to write the script for")
            .withShort('s')
            .required();

    private final Supplier<CommandTree.Branch> tree;

    public CompletionsCommand(Supplier<CommandTree.Branch> tree) {
        this.tree = tree;
    }

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl completions", SUMMARY).with(SHELL);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var shell = Shell.valueOf(arguments.required(SHELL).toUpperCase(Locale.ROOT));
        session.out().print(shell.script(Page.all(tree.get())));
        return KwctlExitCode.SUCCESS;
    }
}
