package io.portcullis.kwctl.command;

import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.manifest.PolicyManifests;
import io.portcullis.kwctl.manifest.PolicyManifests.Configured;
import io.portcullis.kwctl.manifest.PolicyManifests.Kind;
import io.portcullis.kwctl.metadata.MetadataCheck;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.SettingsOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.kwctl.yaml.YamlText;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code kwctl scaffold manifest}: prints a resource that deploys a policy. */
public final class ScaffoldManifestCommand implements Command {

    public static final String SUMMARY = "Output a Kubernetes resource manifest";

    private static final Logger log = LoggerFactory.getLogger("kwctl::scaffold::manifest");

    static final Option ALLOW_CONTEXT_AWARE =
            Option.flag("allow-context-aware", "Grant the policy the Kubernetes resources that its metadata asks for");
    private static final Option TITLE =
            Option.one("title", "VALUE", "Name of the resource instead of the policy's title");
    private static final Option TYPE = Option.choice(
                    "type",
                    "VALUE",
                    List.of(Kind.CLUSTER_ADMISSION_POLICY.wireName(), Kind.ADMISSION_POLICY.wireName()),
                    "Kubewarden Custom Resource type")
            .withShort('t')
            .required();

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold manifest", SUMMARY)
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(SettingsOptions.OPTIONS)
                .with(ALLOW_CONTEXT_AWARE, PolicyLocation.OFFLINE, TITLE, TYPE)
                .exclusive(SettingsOptions.FILE, SettingsOptions.JSON)
                .taking(Positional.one(
                        "uri_or_sha_prefix", "Policy URI, path or SHA prefix; pulled when it is not here"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var settings = SettingsOptions.read(arguments, session);
        try (var source = new PolicyLocation(arguments, session)) {
            var grants = arguments.has(ALLOW_CONTEXT_AWARE);
            var uri = source.locate(arguments.first());
            var metadata = metadata(source.bytesOfAnyLocalCopy(uri), arguments.first());
            var kind = Kind.of(arguments.required(TYPE));
            warnAboutContext(metadata, grants);
            var policy = new Configured(uri.toString(), settings, metadata, grants);
            session.out().print(YamlText.of(PolicyManifests.policy(kind, policy, arguments.value(TITLE))));
        }
        return KwctlExitCode.SUCCESS;
    }

    static PolicyMetadata metadata(byte[] wasm, String name) {
        var metadata = PolicyMetadata.of(wasm).orElseThrow(() -> InspectCommand.noMetadata(name));
        MetadataCheck.problem(metadata).ifPresent(problem -> {
            throw new CommandException("Metadata of " + name + " is invalid: " + problem);
        });
        return metadata;
    }

    static void warnAboutContext(PolicyMetadata metadata, boolean grants) {
        if (metadata.contextAwareResources().isEmpty()) {
            return;
        }
        if (grants) {
            log.warn("The policy has been granted access to the Kubernetes resources mentioned by its metadata."
                    + " Carefully review the contents of the 'contextAwareResources' attribute for abuses");
        } else {
            log.warn("The policy requires access to Kubernetes resources at evaluation time."
                    + " For safety, the 'contextAwareResources' attribute has been left empty");
            log.warn("Run again with '--allow-context-aware' to grant the access that the metadata asks for");
        }
    }
}
