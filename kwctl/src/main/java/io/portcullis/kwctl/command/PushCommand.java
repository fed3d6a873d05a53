package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.metadata.EditableModule;
import io.portcullis.kwctl.output.ProgressBar;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RegistryFailure;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.util.List;
import java.util.Map;

/** {@code kwctl push}: uploads a policy to a registry. */
public final class PushCommand implements Command {

    public static final String SUMMARY = "Push a Kubewarden policy to an OCI registry";

    private static final Option FORCE =
            Option.flag("force", "Push also a policy that is not annotated").withShort('f');
    private static final Option OUTPUT = Option.choice("output", "FORMAT", List.of("text", "json"), "Output format")
            .withShort('o')
            .withDefault("text");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl push", SUMMARY)
                .describedBy("""
                        The annotations of the policy become annotations of the OCI manifest, except those that span
                        several lines. Without a tag the policy is pushed as latest.""")
                .with(RemoteOptions.OPTIONS)
                .with(FORCE, OUTPUT, PolicyLocation.PULL)
                .taking(
                        Positional.one("policy", "Policy to push: a file, a URI in the store or a SHA prefix"),
                        Positional.one("uri", "Destination, for example registry://ghcr.io/me/policy:v1.0.0"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var wasm = PolicyLocation.require(arguments.first(), arguments, session).bytes();
        var annotations = PolicyMetadata.of(wasm)
                .map(PolicyMetadata::annotations)
                .orElseGet(() -> unannotated(wasm, arguments.has(FORCE), session));
        var image = RemoteOptions.image(arguments.positionals().getLast());
        try (var transport = RemoteOptions.transport(arguments, session);
                var progress = ProgressBar.of(session, "Pushing " + image)) {
            var pushed =
                    RemoteOptions.artifacts(transport, arguments, session).push(image, wasm, annotations, progress);
            session.out().println(result(pushed, arguments.orDefault(OUTPUT)));
        } catch (ArtifactException e) {
            throw RegistryFailure.of(e);
        }
        return KwctlExitCode.SUCCESS;
    }

    private static Map<String, String> unannotated(byte[] wasm, boolean force, CommandSession session) {
        if (!force) {
            throw new CommandException(
                    "Cannot push a policy that is not annotated. Annotate it with `kwctl annotate`, or use --force");
        }
        if (EditableModule.parse(wasm).isRego()) {
            throw new CommandException("Rego policies cannot be pushed without metadata");
        }
        session.err().println("Warning: pushing a non-annotated policy");
        return Map.of();
    }

    private static String result(String immutableReference, String format) {
        return format.equals("json")
                ? JsonNodeFactory.instance
                        .objectNode()
                        .put("immutable_ref", immutableReference)
                        .toString()
                : "Policy successfully pushed: " + immutableReference;
    }
}
