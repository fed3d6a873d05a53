package io.portcullis.kwctl.command;

import io.portcullis.artifacts.store.PolicyStore;
import io.portcullis.artifacts.store.StoredPolicy;
import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;

/** {@code kwctl prune}: removes old policies from the store. */
public final class PruneCommand implements Command {

    public static final String SUMMARY = "Remove old policies from the store";

    private static final Option ALL = Option.flag("all", "Remove every policy");
    private static final Option OLDER_THAN = Option.one(
                    "older-than", "AGE", "Remove policies that were pulled longer ago, for example 30d or 12h")
            .required();
    private static final Pattern AGE = Pattern.compile("([0-9]{1,6})([dh])");

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl prune", SUMMARY)
                .describedBy("Prints what it removes.")
                .with(ALL, OLDER_THAN)
                .exclusive(OLDER_THAN, ALL);
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var limit =
                arguments.has(ALL) ? Instant.MAX : session.clock().instant().minus(age(arguments.required(OLDER_THAN)));
        var store = new PolicyStore(session.directories().store());
        for (var policy : store.list()) {
            if (pulled(policy).isBefore(limit)) {
                store.remove(policy.uri());
                session.out().println(policy.uri());
            }
        }
        return KwctlExitCode.SUCCESS;
    }

    private static Duration age(String text) {
        var parts = AGE.matcher(text);
        if (!parts.matches()) {
            throw new CommandException("'" + text + "' is not an age: write days or hours, for example 30d or 12h");
        }
        var number = Long.parseLong(parts.group(1));
        return parts.group(2).equals("d") ? Duration.ofDays(number) : Duration.ofHours(number);
    }

    private static Instant pulled(StoredPolicy policy) {
        try {
            return Files.getLastModifiedTime(policy.file()).toInstant();
        } catch (IOException e) {
            throw new CommandException("cannot read " + policy.file(), e);
        }
    }
}
