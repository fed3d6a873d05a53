package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;

/** {@code kwctl scaffold verification-config}: prints a default configuration that trusts Kubewarden's own policies. */
public final class ScaffoldVerificationConfigCommand implements Command {

    public static final String SUMMARY = "Output a default Sigstore verification configuration file";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl scaffold verification-config", SUMMARY);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        session.out().print("""
                        # Default Kubewarden verification config
                        #
                        # With this config, the only valid policies are those signed by Kubewarden
                        # infrastructure.
                        #
                        # This config can be saved to its default location (for this OS) with:
                        #   kwctl scaffold verification-config > %s
                        #
                        # Providing a config in the default location enables Sigstore verification.
                        # See https://docs.kubewarden.io for more Sigstore verification options.
                        apiVersion: v1
                        allOf:
                        - kind: githubAction
                          owner: kubewarden
                          repo: null
                          annotations: null
                        anyOf: null
                        """.formatted(session.directories().verificationConfigFile()));
        return KwctlExitCode.SUCCESS;
    }
}
