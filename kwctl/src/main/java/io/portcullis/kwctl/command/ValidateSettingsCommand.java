package io.portcullis.kwctl.command;

import io.portcullis.api.policies.PolicyEntry;
import io.portcullis.api.policies.PolicyMode;
import io.portcullis.evaluator.cache.LocalModuleCache;
import io.portcullis.evaluator.metadata.PolicyMetadata;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.policy.PolicyLocation;
import io.portcullis.kwctl.policy.RemoteOptions;
import io.portcullis.kwctl.policy.SettingsOptions;
import io.portcullis.kwctl.policy.VerificationOptions;
import io.portcullis.kwctl.run.Evaluation;
import io.portcullis.kwctl.run.HostSession;
import io.portcullis.kwctl.run.Modules;
import io.portcullis.kwctl.run.PolicyRun;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** {@code kwctl validate-settings}: checks settings with the policy, without a request. */
public final class ValidateSettingsCommand implements Command {

    public static final String SUMMARY = "Check settings with the policy they are for";

    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl validate-settings", SUMMARY)
                .describedBy("Prints nothing when the settings are valid; the exit code is 1 when they are not.")
                .with(RemoteOptions.OPTIONS)
                .with(VerificationOptions.OPTIONS)
                .with(SettingsOptions.OPTIONS)
                .with(PolicyLocation.OFFLINE)
                .exclusive(SettingsOptions.FILE, SettingsOptions.JSON)
                .taking(Positional.one(
                        "uri_or_sha_prefix", "Policy URI, path or SHA prefix; pulled when it is not here"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var settings = SettingsOptions.read(arguments, session);
        try (var source = new PolicyLocation(arguments, session);
                var evaluation = new Evaluation(
                        LocalModuleCache.in(session.directories().kwctlCache().resolve("modules")),
                        Optional.of(LIMIT),
                        arguments,
                        session)) {
            var modules = new Modules(source);
            var module = modules.prepare(arguments.first(), Optional.empty());
            var entry = new PolicyEntry.Single(
                    new PolicyEntry.Module(
                            arguments.first(),
                            settings,
                            module.metadata()
                                    .map(PolicyMetadata::contextAwareResources)
                                    .orElse(Set.of()),
                            Optional.empty(),
                            List.of("*")),
                    PolicyMode.PROTECT,
                    true,
                    Optional.empty());
            var policy = PolicyRun.of("policy-from-cli", entry, modules);
            evaluation.load(policy, modules, new HostSession.Mode.Live()).close();
        }
        return KwctlExitCode.SUCCESS;
    }
}
