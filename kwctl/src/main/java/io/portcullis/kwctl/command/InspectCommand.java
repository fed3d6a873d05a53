package io.portcullis.kwctl.command;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.metadata.MetadataSection;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.metadata.MetadataDocument;
import io.portcullis.kwctl.output.OutputFormat;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.run.Modules;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.util.Optional;

/** {@code kwctl inspect}: shows the metadata and the signatures of a policy. */
public final class InspectCommand implements Command {

    public static final String SUMMARY = "Inspect a Kubewarden policy";

    private static final Option OUTPUT = OutputFormat.option();
    private static final Option REMOTE =
            Option.flag("remote", "Read the policy from its registry or web server; the store is not touched");
    private static final Option SHOW_SIGNATURES = Option.flag("show-signatures", "Show sigstore signatures");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl inspect", SUMMARY)
                .with(RemoteOptions.OPTIONS)
                .with(OUTPUT, PolicyLocation.PULL, REMOTE, SHOW_SIGNATURES)
                .exclusive(PolicyLocation.PULL, REMOTE)
                .taking(Positional.one(
                        "uri_or_sha_prefix", "Policy URI or SHA prefix of a policy in the store, or path of a file"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var policy = policy(arguments, session);
        var document = section(arguments.first(), policy.bytes())
                .map(MetadataDocument::ofSection)
                .orElseThrow(() -> noMetadata(arguments.first()));
        var signatures = arguments.has(SHOW_SIGNATURES)
                ? Optional.of(signatures(policy.uri(), arguments, session))
                : Optional.<Signatures>empty();
        session.out()
                .print(
                        switch (OutputFormat.of(arguments.orDefault(OUTPUT))) {
                            case YAML -> YamlText.of(withSignatures(document.json(), signatures));
                            case JSON -> OutputFormat.prettyJson(withSignatures(document.json(), signatures));
                            case TABLE ->
                                MetadataView.of(document, session.terminal())
                                        + signatures.map(Signatures::text).orElse("");
                        });
        return KwctlExitCode.SUCCESS;
    }

    private static Optional<byte[]> section(String argument, byte[] wasm) {
        try {
            return MetadataSection.in(wasm);
        } catch (PolicyLoadException e) {
            throw new CommandException(Modules.describe(argument, wasm) + e.getMessage());
        }
    }

    /** The policy to inspect. */
    private record Inspected(PolicyUri uri, byte[] bytes) {}

    private static Inspected policy(ParsedArguments arguments, CommandSession session) {
        if (!arguments.has(REMOTE)) {
            var policy = PolicyLocation.require(arguments.first(), arguments, session);
            return new Inspected(policy.uri(), policy.bytes());
        }
        try (var source = new PolicyLocation(arguments, session)) {
            var uri = source.locate(arguments.first());
            return new Inspected(uri, source.remoteBytes(uri));
        }
    }

    public static CommandException noMetadata(String uri) {
        return new CommandException("No Kubewarden metadata found inside of '" + uri
                + "'.\nPolicies can be annotated with the `kwctl annotate` command.");
    }

    /** The signatures in the registry. {@code manifest} is present only when there are signatures. */
    private record Signatures(Optional<ObjectNode> manifest, String text) {}

    private static ObjectNode withSignatures(ObjectNode metadata, Optional<Signatures> signatures) {
        signatures.flatMap(Signatures::manifest).ifPresent(manifest -> metadata.set("signatures", manifest));
        return metadata;
    }

    private static Signatures signatures(PolicyUri uri, ParsedArguments arguments, CommandSession session) {
        return switch (uri) {
            case PolicyUri.Registry(var image) -> {
                try (var transport = RemoteOptions.transport(arguments, session)) {
                    yield signatures(RemoteOptions.registry(transport, arguments, session), image);
                } catch (ArtifactException e) {
                    yield e.reason() == ArtifactException.Reason.NOT_FOUND
                            ? new Signatures(Optional.empty(), "\nNo sigstore signatures found\n")
                            : unknown(String.valueOf(e.getMessage()));
                }
            }
            case PolicyUri.Web _ -> unknown("only policies from registries are signed");
            case PolicyUri.LocalFile _ -> unknown("only policies from registries are signed");
        };
    }

    private static Signatures unknown(String why) {
        return new Signatures(Optional.empty(), "\nCannot determine if the policy has been signed: " + why + "\n");
    }

    private static Signatures signatures(RegistryClient registry, ImageReference image) {
        var manifest = registry.manifest(image.withTag(registry.digest(image).replace(':', '-') + ".sig"));
        var text = new StringBuilder("\nSigstore signatures\n\n");
        manifest.json().path("layers").forEach(layer -> {
            text.append("Digest: ").append(layer.path("digest").asText()).append('\n');
            text.append("Media type: ").append(layer.path("mediaType").asText()).append('\n');
            text.append("Size: ").append(layer.path("size").asText()).append('\n');
            layer.path("annotations")
                    .properties()
                    .forEach(entry -> text.append("  ")
                            .append(entry.getKey())
                            .append(": ")
                            .append(entry.getValue().asText())
                            .append('\n'));
            text.append('\n');
        });
        return new Signatures(
                manifest.json() instanceof ObjectNode object ? Optional.of(object) : Optional.empty(), text.toString());
    }
}
