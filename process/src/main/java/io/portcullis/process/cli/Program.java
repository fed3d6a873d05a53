package io.portcullis.process.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * A command with flags and optional sub-commands, on top of picocli's programmatic interface. Errors are reported in one
 * line on standard error. When a flag is given twice, the last one wins.
 */
public final class Program {

    /** The work behind a command. Throws {@link UsageException} or {@link FailureException} to end with one line. */
    @FunctionalInterface
    public interface Action {
        ExitCode run(Arguments arguments) throws InterruptedException;
    }

    private record Command(CommandSpec spec, Action action) {}

    private final CommandSpec root;
    private final Map<String, Command> commands = new HashMap<>();

    /** @param version the lines that {@code --version} prints */
    public Program(String name, String description, List<String> version, List<Flag<?>> flags, Action action) {
        root = spec(name, description, flags);
        root.version(version.toArray(String[]::new));
        root.addOption(OptionSpec.builder("-V", "--version")
                .versionHelp(true)
                .description("Print the version and exit.")
                .build());
        commands.put(name, new Command(root, action));
    }

    public Program withCommand(String name, String description, List<Flag<?>> flags, Action action) {
        var spec = spec(name, description, flags);
        root.addSubcommand(name, spec);
        commands.put(name, new Command(spec, action));
        return this;
    }

    public int run(String[] arguments, Map<String, String> environment, PrintStream out, PrintStream err)
            throws InterruptedException {
        try {
            CommandLine.tracer().setLevel(CommandLine.TraceLevel.OFF);
            var parsed =
                    new CommandLine(root).setOverwrittenOptionsAllowed(true).parseArgs(arguments);
            var command = parsed.hasSubcommand() ? parsed.subcommand() : parsed;
            if (command.isUsageHelpRequested()) {
                command.commandSpec().commandLine().usage(out);
                return ExitCode.OK.code();
            }
            if (command.isVersionHelpRequested()) {
                command.commandSpec().commandLine().printVersionHelp(out);
                return ExitCode.OK.code();
            }
            return action(command)
                    .run(new Arguments(givenFlags(command), environment))
                    .code();
        } catch (ParameterException e) {
            err.println("error: " + oneLine(e));
            return ExitCode.USAGE.code();
        } catch (UsageException e) {
            err.println("error: " + e.getMessage());
            return ExitCode.USAGE.code();
        } catch (FailureException e) {
            err.println("error: " + e.getMessage());
            return ExitCode.FAILURE.code();
        }
    }

    private Action action(ParseResult parsed) {
        var command = commands.get(parsed.commandSpec().name());
        if (command == null) {
            throw new IllegalStateException(
                    "no such command: " + parsed.commandSpec().name());
        }
        return command.action();
    }

    private static Map<String, String> givenFlags(ParseResult parsed) {
        var givenFlags = new HashMap<String, String>();
        for (var option : parsed.matchedOptions()) {
            Object value = option.getValue();
            givenFlags.put(
                    option.longestName(),
                    value instanceof List<?> words
                            ? words.stream().map(String::valueOf).collect(Collectors.joining(","))
                            : String.valueOf(value));
        }
        return givenFlags;
    }

    private static CommandSpec spec(String name, String description, List<Flag<?>> flags) {
        var spec = CommandSpec.create().name(name);
        spec.usageMessage().description(description).abbreviateSynopsis(true).autoWidth(true);
        spec.addOption(OptionSpec.builder("-h", "--help")
                .usageHelp(true)
                .description("Print this text and exit.")
                .build());
        flags.forEach(flag -> spec.addOption(option(flag)));
        return spec;
    }

    /** Declares every flag as text. {@link Flag} parses the types, because environment variables need the same parsing. */
    private static OptionSpec option(Flag<?> flag) {
        var builder = OptionSpec.builder(names(flag))
                .type(flag.form().isRepeatable() ? List.class : String.class)
                .auxiliaryTypes(String.class)
                .paramLabel(flag.form().parameter())
                .hidden(flag.form().isHidden())
                .description(describe(flag));
        return flag.form().isSwitch()
                ? builder.arity("0..1").fallbackValue("true").build()
                : builder.arity("1").build();
    }

    private static String[] names(Flag<?> flag) {
        if (!flag.form().shortName().isEmpty()) {
            return new String[] {flag.form().shortName(), flag.name()};
        }
        return flag.name().equals("--output") ? new String[] {"-o", "--output"} : new String[] {flag.name()};
    }

    private static String describe(Flag<?> flag) {
        var text = new StringBuilder(flag.help());
        if (!flag.variable().isEmpty()) {
            text.append(" [env: ").append(flag.variable()).append(']');
        }
        if (!flag.form().isSwitch()) {
            flag.defaultText()
                    .ifPresent(value -> text.append(" [default: ").append(value).append(']'));
        }
        return text.toString().replace("%", "%%");
    }

    private String oneLine(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            var word = unmatched.getUnmatched().getFirst();
            var name = word.split("=", 2)[0];
            var known = new ArrayList<>(root.optionsMap().keySet());
            known.addAll(root.subcommands().keySet());
            var hint = Similar.to(name, known).map(meant -> ", did you mean '" + meant + "'?");
            return "unexpected argument '" + word + "'" + hint.orElse("");
        }
        return String.valueOf(e.getMessage()).lines().findFirst().orElse("bad arguments");
    }
}
