package io.portcullis.kwctl.command;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.metadata.ModuleAnnotation;
import io.portcullis.kwctl.output.ByteSize;
import io.portcullis.kwctl.template.PolicyCompiler;
import io.portcullis.kwctl.template.PolicyLanguage;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** {@code kwctl build}: compiles a policy and adds its metadata. */
public final class BuildCommand implements Command {

    public static final String SUMMARY = "Compile a policy in Rust, Go or Rego and add its metadata";

    private static final String METADATA = "metadata.yml";
    private static final String USAGE = "README.md";
    private static final String OUTPUT = "policy.wasm";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl build", SUMMARY)
                .describedBy("""
                        Runs the toolchain of the language: cargo for a directory with Cargo.toml, go for one with go.mod, opa for one
                        with policy.rego. Writes policy.wasm, with the metadata of metadata.yml and the usage of README.md.

                        'kwctl new' writes such a directory.""")
                .taking(new Positional(
                        "directory", false, false, "Directory of the policy (default: the current one)"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var typed = arguments.positionals().stream().findFirst().orElse(".");
        var directory = session.path(typed);
        if (!Files.isDirectory(directory)) {
            throw new CommandException("there is no directory " + typed);
        }
        var language = PolicyLanguage.of(directory)
                .orElseThrow(() -> new CommandException(
                        "%s has no policy to build: none of %s is there; start one with 'kwctl new'"
                                .formatted(typed, PolicyLanguage.projectFiles())));
        var metadata = directory.resolve(METADATA);
        if (!Files.isRegularFile(metadata)) {
            throw new CommandException("%s has no %s, which says what the policy evaluates".formatted(typed, METADATA));
        }
        var compiled = new PolicyCompiler(directory, session).compile(language);
        var wasm = TextFile.readBytes(compiled, "cannot read " + compiled);
        var annotated = ModuleAnnotation.annotate(wasm, metadata, usage(directory), false);
        AtomicFile.at(directory.resolve(OUTPUT), directory).write(annotated);
        session.out()
                .println("built " + Path.of(typed).resolve(OUTPUT).normalize() + ", " + ByteSize.of(annotated.length));
        return KwctlExitCode.SUCCESS;
    }

    private static Optional<String> usage(Path directory) {
        var file = directory.resolve(USAGE);
        return Files.isRegularFile(file) ? Optional.of(TextFile.read(file, "cannot read " + file)) : Optional.empty();
    }
}
