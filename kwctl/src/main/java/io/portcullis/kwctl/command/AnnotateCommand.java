package io.portcullis.kwctl.command;

import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.metadata.ModuleAnnotation;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.nio.file.Path;
import java.util.Optional;

/** {@code kwctl annotate}: adds metadata to a module. */
public final class AnnotateCommand implements Command {

    public static final String SUMMARY = "Add Kubewarden metadata to a WebAssembly module";

    private static final Option METADATA = Option.one("metadata-path", "PATH", "File containing the metadata")
            .withShort('m')
            .required();
    private static final Option OUTPUT =
            Option.one("output-path", "PATH", "Output file").withShort('o').required();
    private static final Option USAGE = Option.one(
                    "usage-path", "PATH", "File containing the usage information of the policy")
            .withShort('u');
    private static final Option STRIP_DEBUG =
            Option.flag("strip-debug", "Drop names and DWARF debug information from the module");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl annotate", SUMMARY)
                .describedBy("""
                        Metadata that the module already has is replaced. Warns when the host capabilities that the module
                        seems to use differ from those that its metadata declares.""")
                .with(METADATA, OUTPUT, USAGE, STRIP_DEBUG)
                .taking(Positional.one("wasm-path", "Path to the WebAssembly module to be annotated"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var usage =
                arguments.value(USAGE).map(path -> TextFile.read(session.path(path), "cannot read usage file " + path));
        var wasm = TextFile.readBytes(session.path(arguments.first()), "cannot read wasm module " + arguments.first());
        var annotated = ModuleAnnotation.annotate(
                wasm, session.path(arguments.required(METADATA)), usage, arguments.has(STRIP_DEBUG));
        write(session.path(arguments.required(OUTPUT)), annotated);
        return KwctlExitCode.SUCCESS;
    }

    private static void write(Path file, byte[] bytes) {
        var directory = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
        AtomicFile.at(file, directory).write(bytes);
    }
}
