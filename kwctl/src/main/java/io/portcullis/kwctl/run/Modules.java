package io.portcullis.kwctl.run;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoader.ModuleBytes;
import io.portcullis.evaluator.metadata.ExecutionMode;
import io.portcullis.evaluator.metadata.KubewardenVersion;
import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.evaluator.metadata.PolicyType;
import io.portcullis.evaluator.metadata.ProtocolVersion;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.metadata.EditableModule;
import io.portcullis.kwctl.policy.PolicyLocation;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The modules of one run. Fetches each module once and prepares it for the evaluator.
 *
 * <p>The evaluator takes the execution mode from the metadata. Here, the user may choose another mode, or run a module
 * without metadata. Not thread-safe.
 */
public final class Modules implements ModuleBytes {

    private final PolicyLocation source;
    private final Map<String, Prepared> prepared = new HashMap<>();

    /** A module that is ready for evaluation, with its metadata. */
    public record Prepared(byte[] wasm, Optional<PolicyMetadata> metadata) {

        boolean isRaw() {
            return metadata.map(PolicyMetadata::policyType).equals(Optional.of(PolicyType.RAW));
        }
    }

    public Modules(PolicyLocation source) {
        this.source = source;
    }

    /**
     * Fetches a module.
     *
     * @param url the module URL in the policy; {@link #of} returns the bytes under this URL
     * @param chosen the execution mode that the user requested
     */
    public Prepared prepare(String url, Optional<ExecutionMode> chosen) {
        return prepared.computeIfAbsent(url, _ -> {
            var wasm = source.bytes(source.locate(url));
            try {
                return prepare(wasm, chosen);
            } catch (CommandException e) {
                throw new CommandException(describe(url, wasm) + e.getMessage(), e.getCause());
            }
        });
    }

    /** Returns the beginning of an error about a module: its name, and whether it is empty. */
    public static String describe(String url, byte[] wasm) {
        return wasm.length == 0 ? url + " is an empty file: " : url + ": ";
    }

    @Override
    public byte[] of(String moduleUrl) {
        return prepare(moduleUrl, Optional.empty()).wasm();
    }

    static Prepared prepare(byte[] wasm, Optional<ExecutionMode> chosen) {
        var metadata = metadata(wasm);
        metadata.ifPresent(Modules::checkVersion);
        var isRego = EditableModule.parse(wasm).isRego();
        var mode = mode(metadata.map(PolicyMetadata::executionMode), chosen, isRego);
        var fits = metadata.filter(known -> known.executionMode() == mode)
                .filter(known -> mode != ExecutionMode.KUBEWARDEN_WAPC
                        || known.protocolVersion().equals(Optional.of(ProtocolVersion.V1)))
                .isPresent();
        return new Prepared(fits ? wasm : withMode(wasm, mode), metadata);
    }

    private static Optional<PolicyMetadata> metadata(byte[] wasm) {
        try {
            return PolicyMetadata.of(wasm);
        } catch (PolicyLoadException e) {
            if (e.reason() == PolicyLoadException.Reason.INVALID_MODULE) {
                throw new CommandException(
                        "cannot parse custom section of wasm module",
                        new CommandException(String.valueOf(e.getMessage())));
            }
            throw e;
        }
    }

    private static void checkVersion(PolicyMetadata metadata) {
        metadata.minimumKubewardenVersion()
                .filter(minimum -> minimum.compareTo(KubewardenVersion.COMPATIBLE) > 0)
                .ifPresent(minimum -> {
                    throw new CommandException("Policy required Kubewarden version " + minimum
                            + " or greater, but this is compatible with " + KubewardenVersion.COMPATIBLE);
                });
    }

    /**
     * Returns the execution mode: the user's choice, else that of the metadata, else a guess from the module. Rejects
     * contradictions.
     */
    static ExecutionMode mode(Optional<ExecutionMode> declared, Optional<ExecutionMode> chosen, boolean isRego) {
        if (declared.isEmpty() && chosen.isEmpty()) {
            if (isRego) {
                throw new CommandException("The policy is a Rego one without metadata:"
                        + " please specify which Opa runtime has to be used with --execution-mode opa or gatekeeper");
            }
            return ExecutionMode.KUBEWARDEN_WAPC;
        }
        var mode = chosen.or(() -> declared).orElseThrow();
        if (mode.isRego() != isRego) {
            throw new CommandException("The policy has %sbeen created with Rego: the execution mode %s %s is wrong"
                    .formatted(
                            isRego ? "" : "not ", mode.wireName(), chosen.isPresent() ? "given" : "in its metadata"));
        }
        if (chosen.isPresent() && declared.isPresent() && declared.get() != mode) {
            throw new CommandException("The execution mode %s given contradicts the policy's metadata, which says %s"
                    .formatted(mode.wireName(), declared.get().wireName()));
        }
        return mode;
    }

    private static byte[] withMode(byte[] wasm, ExecutionMode mode) {
        var metadata = JsonNodeFactory.instance.objectNode().put("protocolVersion", ProtocolVersion.V1.wireName());
        metadata.putArray("rules");
        metadata.put("mutating", true).put("executionMode", mode.wireName());
        return EditableModule.parse(wasm)
                .withCustomSection(MetadataSection.NAME, metadata.toString().getBytes(StandardCharsets.UTF_8))
                .bytes();
    }
}
