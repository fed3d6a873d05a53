package io.portcullis.kwctl.command;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandException;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.template.PolicyLanguage;
import io.portcullis.kwctl.template.PolicyTemplate;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.Positional;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** {@code kwctl new}: writes a directory with a policy that builds, and with its tests. */
public final class NewCommand implements Command {

    private static final Option DIRECTORY = Option.one(
            "directory", "DIR", "Directory to write the policy to; it is created (default: the name of the policy)");

    private final PolicyLanguage language;

    public NewCommand(PolicyLanguage language) {
        this.language = language;
    }

    public static String summary(PolicyLanguage language) {
        return switch (language) {
            case RUST -> "Start a policy in Rust";
            case GO -> "Start a policy in Go";
            case REGO -> "Start a policy in Rego";
        };
    }

    @Override
    public CommandSpec spec() {
        return CommandSpec.of("kwctl new " + language.keyword(), summary(language))
                .describedBy("""
                        Writes a directory with a small policy, its metadata, tests, a Makefile and a file for CI. Build it with
                        'kwctl build', and test it with 'kwctl test tests'.""")
                .with(DIRECTORY)
                .taking(Positional.one("name", "Name of the policy: lower-case letters, digits and hyphens"));
    }

    @Override
    public KwctlExitCode run(ParsedArguments arguments, CommandSession session) {
        var name = arguments.first();
        if (!PolicyTemplate.isValidName(name)) {
            throw new CommandException(
                    "the name of a policy has lower-case letters, digits and hyphens, begins with a letter, and has at most 63 characters: '%s'"
                            .formatted(name));
        }
        var typed = arguments.value(DIRECTORY).orElse(name);
        write(session.path(typed), typed, PolicyTemplate.files(language, name));
        session.out().print("""
                wrote the policy %s. Build and test it:
                  cd %s
                  kwctl build
                  kwctl test tests
                """.formatted(name, typed));
        return KwctlExitCode.SUCCESS;
    }

    private static void write(Path directory, String typed, Map<String, String> files) {
        try {
            Files.createDirectories(directory);
            try (var existing = Files.list(directory)) {
                if (existing.findAny().isPresent()) {
                    throw new CommandException(
                            "the directory %s is not empty; choose another one with --directory".formatted(typed));
                }
            }
            for (var file : files.entrySet()) {
                var path = directory.resolve(file.getKey());
                Files.createDirectories(path.getParent());
                Files.writeString(path, file.getValue());
            }
        } catch (IOException e) {
            throw new CommandException("cannot write the policy to " + typed, e);
        }
    }
}
