package io.portcullis.kwctl.metadata;

import io.portcullis.api.yaml.YamlDocuments;
import io.portcullis.api.yaml.YamlException;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.evaluator.wapc.WapcRuntime;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.TextFile;
import io.portcullis.kwctl.cli.Version;
import io.portcullis.wasm.engine.WasmEngines;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Adds metadata to a module. Used by {@code kwctl annotate} and {@code kwctl build}. */
public final class ModuleAnnotation {

    private static final Logger log = LoggerFactory.getLogger("kwctl::annotate");

    private ModuleAnnotation() {}

    /**
     * Returns the module with the metadata of a file. Warns when the host capabilities that the module seems to use differ
     * from the declared ones.
     *
     * @param stripDebug whether names and debug information are dropped
     */
    public static byte[] annotate(byte[] wasm, Path metadataFile, Optional<String> usage, boolean stripDebug) {
        var module = EditableModule.parse(wasm).withPlainHostImports();
        var written = readMetadata(metadataFile);
        checkMode(written.metadata().executionMode(), module.isRego());

        var document = complete(written, usage, wasm);
        MetadataCheck.problem(document.metadata()).ifPresent(problem -> {
            throw new CommandException("Metadata is invalid: " + problem);
        });
        warnAboutCapabilities(document, module);

        var stripped = stripDebug ? module.withoutDebugInformation() : module;
        return stripped.withCustomSection(MetadataSection.NAME, document.bytes())
                .bytes();
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
}
