package io.portcullis.kwctl.command;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.source.ImageReference;
import io.portcullis.artifacts.wasm.WasmModule;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.output.ProgressBar;
import io.portcullis.kwctl.policy.RegistryFailure;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.util.List;

/** {@code kwctl copy}: copies a policy and its signatures to another registry or tag. */
public final class CopyCommand implements Command {

    public static final String SUMMARY = "Copy a policy and its signatures between OCI registries, or to another tag";

    /** Suffixes of the tags of signatures and other attachments. The tag starts with the digest of the subject. */
    private static final List<String> ATTACHMENTS = List.of(".sig", ".att", "");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl copy", SUMMARY)
                .describedBy("""
                        Everything is copied byte for byte: the digest stays the same, and so signatures stay valid. The
                        store is not used.""")
                .with(RemoteOptions.OPTIONS)
                .taking(
                        Positional.one("from", "Policy to copy, for example ghcr.io/me/policy:v1.0.0"),
                        Positional.one("to", "Destination, for example registry.example.com/policies/policy:v1.0.0"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var from = RemoteOptions.image(arguments.first());
        var to = RemoteOptions.image(arguments.positionals().getLast());
        try (var transport = RemoteOptions.transport(arguments, session);
                var progress = ProgressBar.of(session, "Copying " + from)) {
            var registry = RemoteOptions.registry(transport, arguments, session);
            var digest = registry.copy(from, to, WasmModule.DEFAULT_LIMIT, progress);
            copyAttachments(registry, from, to, digest);
            session.out().println("Policy successfully copied: " + to.immutable(digest));
        } catch (ArtifactException e) {
            throw RegistryFailure.of(e);
        }
        return KwctlExitCode.SUCCESS;
    }

    private static void copyAttachments(
            RegistryClient registry, ImageReference from, ImageReference to, String digest) {
        for (var referrer : registry.referrers(from, digest)) {
            registry.copy(
                    from.withDigest(referrer.digest()),
                    to.withDigest(referrer.digest()),
                    WasmModule.DEFAULT_LIMIT,
                    DownloadProgress.SILENT);
        }
        for (var suffix : ATTACHMENTS) {
            var tag = digest.replace(':', '-') + suffix;
            try {
                registry.copy(from.withTag(tag), to.withTag(tag), WasmModule.DEFAULT_LIMIT, DownloadProgress.SILENT);
            } catch (ArtifactException e) {
                if (e.reason() != Reason.NOT_FOUND) {
                    throw e;
                }
            }
        }
    }
}
