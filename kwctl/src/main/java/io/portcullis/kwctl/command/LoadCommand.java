package io.portcullis.kwctl.command;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.store.PolicyArchive;
import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;

/** {@code kwctl load}: unpacks an archive of {@code kwctl save} into the store. */
public final class LoadCommand implements Command {

    public static final String SUMMARY = "Load policies from a tar.gz file";

    private static final Option INPUT =
            Option.one("input", "FILE", "Load policies from this file").required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl load", SUMMARY).with(INPUT);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var name = arguments.required(INPUT);
        var file = session.path(name);
        if (!Files.isRegularFile(file)) {
            throw new CommandException("cannot open file " + name, new NoSuchFileException(name));
        }
        try {
            new PolicyArchive(new PolicyStore(session.directories().store())).load(file);
        } catch (ArtifactException e) {
            throw new CommandException("cannot unpack file " + name, e);
        }
        return KwctlExitCode.SUCCESS;
    }
}
