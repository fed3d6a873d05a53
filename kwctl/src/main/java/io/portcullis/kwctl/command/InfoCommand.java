package io.portcullis.kwctl.command;

import io.portcullis.evaluator.metadata.KubewardenVersion;
import io.portcullis.evaluator.rego.builtin.registry.Builtins;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.Version;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import java.util.stream.Collectors;

/** {@code kwctl info}: prints versions, the Rego built-ins and the directories in use. */
public final class InfoCommand implements Command {

    public static final String SUMMARY = "Display system information";

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl info", SUMMARY);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var directories = session.directories();
        session.out().print("""
                        kwctl version: %s
                        Kubewarden compatibility level: %s

                        Builtins that the host provides to Open Policy Agent and Gatekeeper policies:
                        %s
                        Policy store: %s
                        Config directory: %s
                        kwctl cache directory: %s
                        """.formatted(
                Version.NUMBER,
                KubewardenVersion.COMPATIBLE,
                Builtins.names().stream().map(name -> "  - " + name + "\n").collect(Collectors.joining()),
                directories.store(),
                directories.config(),
                directories.kwctlCache()));
        return KwctlExitCode.SUCCESS;
    }
}
