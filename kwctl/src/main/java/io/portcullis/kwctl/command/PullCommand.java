package io.portcullis.kwctl.command;

import io.portcullis.artifacts.source.PolicyUri;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.LocalPolicies;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.nio.file.Files;
import java.nio.file.Path;

/** {@code kwctl pull}: downloads a policy into the store or a file. */
public final class PullCommand implements Command {

    public static final String SUMMARY = "Pull a Kubewarden policy from a given URI";

    private static final Option OUTPUT = Option.one(
                    "output-path", "PATH", "Output file or directory; the store is left alone then")
            .withShort('o');

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl pull", SUMMARY)
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(OUTPUT)
                .taking(Positional.one("uri", "Policy URI: registry://, https://, http:// or an image name"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var uri = new LocalPolicies(session).locateRemote(arguments.first());
        if (uri instanceof PolicyUri.LocalFile) {
            return KwctlExitCode.SUCCESS;
        }
        try (var source = new PolicyLocation(arguments, session)) {
            arguments
                    .value(OUTPUT)
                    .map(session::path)
                    .ifPresentOrElse(path -> source.fetchInto(uri, target(path, uri)), () -> source.bytes(uri));
        }
        return KwctlExitCode.SUCCESS;
    }

    /** Returns the target file. In a directory, the last part of the URI is the file name. */
    private static Path target(Path path, PolicyUri uri) {
        var text = uri.toString();
        return Files.isDirectory(path) ? path.resolve(text.substring(text.lastIndexOf('/') + 1)) : path;
    }
}
