package io.portcullis.kwctl.command;

import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.artifacts.disk.AtomicFile;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.kwctl.args.CommandSpec;
import io.portcullis.kwctl.args.Option;
import io.portcullis.kwctl.args.ParsedArguments;
import io.portcullis.kwctl.args.Positional;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.cli.Version;
import io.portcullis.kwctl.metadata.EditableModule;
import io.portcullis.kwctl.metadata.HostCapabilityScan;
import io.portcullis.kwctl.metadata.MetadataCheck;
import io.portcullis.kwctl.metadata.MetadataDocument;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl annotate}: adds metadata to a module. */
public final class AnnotateCommand implements Command {

    public static final String SUMMARY = "Add Kubewarden metadata to a WebAssembly module";

    private static final Logger log = LoggerFactory.getLogger("kwctl::annotate");

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
        var module = EditableModule.parse(wasm).withPlainHostImports();
        var written = readMetadata(session.path(arguments.required(METADATA)));
        checkMode(written.metadata().executionMode(), module.isRego());

        var document = complete(written, usage, wasm);
        MetadataCheck.problem(document.metadata()).ifPresent(problem -> {
            throw new CommandException("Metadata is invalid: " + problem);
        });
        warnAboutCapabilities(document, module);

        var stripped = arguments.has(STRIP_DEBUG) ? module.withoutDebugInformation() : module;
        write(
                session.path(arguments.required(OUTPUT)),
                stripped.withCustomSection(MetadataSection.NAME, document.bytes())
                        .bytes());
        return KwctlExitCode.SUCCESS;
    }

    private static MetadataDocument readMetadata(Path file) {
        var text = TextFile.read(file, "cannot read metadata file " + file);
        try {
            return MetadataDocument.of(YamlDocuments.parse(text));
        } catch (YamlException e) {
            throw new CommandException("Error unmarshalling metadata " + file, e);
        } catch (PolicyLoadException e) {
            var message = String.valueOf(e.getMessage());
            throw new CommandException(
                    "Error unmarshalling metadata " + file,
                    new CommandException(message.replaceFirst("^.* of wasm module: ", "")));
        }
    }

    private static void checkMode(ExecutionMode mode, boolean isRego) {
        if (mode != ExecutionMode.WASI && mode.isRego() != isRego) {
            throw new CommandException(
                    "Wrong value inside of policy's metadata for 'executionMode'. This policy has %sbeen created using Rego"
                            .formatted(isRego ? "" : "not "));
        }
        if (mode == ExecutionMode.WASI && isRego) {
            throw new CommandException(
                    "Wrong value inside of policy's metadata for 'executionMode'. This policy has been created using Rego");
        }
    }

    private static MetadataDocument complete(MetadataDocument written, Optional<String> usage, byte[] wasm) {
        var annotations = new LinkedHashMap<String, String>();
        annotations.put("io.kubewarden.kwctl", Version.NUMBER);
        usage.ifPresent(text -> annotations.put("io.kubewarden.policy.usage", text));
        var isWapc = written.metadata().executionMode() == ExecutionMode.KUBEWARDEN_WAPC;
        return written.with(isWapc ? readProtocolVersion(wasm) : ProtocolVersion.UNKNOWN.wireName(), annotations);
    }

    private static String readProtocolVersion(byte[] wasm) {
        try (var engine = WasmEngines.best()) {
            return WapcRuntime.protocolVersion(
                            engine,
                            EditableModule.parse(wasm).withPlainHostImports().bytes())
                    .wireName();
        }
    }

    private static void warnAboutCapabilities(MetadataDocument document, EditableModule module) {
        var scan = HostCapabilityScan.compare(
                HostCapabilityScan.detect(module.data()), document.metadata().hostCapabilities());
        if (!scan.undeclared().isEmpty()) {
            log.atWarn()
                    .addKeyValue("capabilities", scan.undeclared())
                    .log("host capabilities used by the policy but not declared in metadata");
        }
        if (!scan.undetected().isEmpty()) {
            log.atWarn()
                    .addKeyValue("capabilities", scan.undetected())
                    .log("host capabilities declared in metadata but not detected in the policy");
        }
    }

    private static void write(Path file, byte[] bytes) {
        var directory = Optional.ofNullable(file.toAbsolutePath().getParent()).orElse(file);
        AtomicFile.at(file, directory).write(bytes);
    }
}
