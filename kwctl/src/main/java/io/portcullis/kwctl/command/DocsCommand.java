package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.CommandTree;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.Page;
import io.portcullis.kwctl.reference.ReferenceFormat;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.util.function.Supplier;

/** {@code kwctl docs}: writes the reference of all commands to a file. */
public final class DocsCommand implements Command {

    public static final String SUMMARY = "Generate the reference documentation of all commands";

    private static final Option OUTPUT = Option.one(
                    "output", "FILE", "File to write; Markdown if it ends in .md, AsciiDoc otherwise")
            .withShort('o')
            .required();

    private final Supplier<CommandTree.Branch> tree;

    public DocsCommand(Supplier<CommandTree.Branch> tree) {
        this.tree = tree;
    }

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl docs", SUMMARY).with(OUTPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var name = arguments.required(OUTPUT);
        try {
            Files.writeString(session.path(name), ReferenceFormat.ofFile(name).document(Page.all(tree.get())));
        } catch (IOException e) {
            throw new CommandException("cannot create file " + name, e);
        }
        return KwctlExitCode.SUCCESS;
    }
}
