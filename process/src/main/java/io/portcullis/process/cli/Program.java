package io.portcullis.process.cli;

import io.portcullis.process.args.ArgumentException;
import io.portcullis.process.args.ArgumentParser;
import io.portcullis.process.args.ArgumentParser.Result;
import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import io.portcullis.process.args.SimilarWords;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A program with flags and optional sub-commands. The name of a sub-command is the first argument. Errors are reported in one
 * line on standard error. When a flag is given twice, the last one wins.
 */
public final class Program {

    /** The work behind a command. Throws {@link UsageException} or {@link FailureException} to end with one line. */
    @FunctionalInterface
    public interface Action {
        ExitCode run(Arguments arguments) throws InterruptedException;
    }

    private record Command(String path, String description, List<Flag<?>> flags, List<Option> globals, Action action) {}

    private static final Option HELP =
            Option.flag("help", "Print this text and exit.").withShort('h');
    private static final Option VERSION =
            Option.flag("version", "Print the version and exit.").withShort('V');

    private final Command root;
    private final List<String> version;
    private final Map<String, Command> commands = new LinkedHashMap<>();

    /** @param version the lines that {@code --version} prints */
    public Program(String name, String description, List<String> version, List<Flag<?>> flags, Action action) {
        this.root = new Command(name, description, flags, List.of(HELP, VERSION), action);
        this.version = List.copyOf(version);
    }

    public Program withCommand(String name, String description, List<Flag<?>> flags, Action action) {
        commands.put(name, new Command(root.path() + " " + name, description, flags, List.of(HELP), action));
        return this;
    }

    public int run(String[] arguments, Map<String, String> environment, PrintStream out, PrintStream err)
            throws InterruptedException {
        try {
            return run(List.of(arguments), environment, out).code();
        } catch (ArgumentException e) {
            err.println("error: " + e.summary());
            return ExitCode.USAGE.code();
        } catch (UsageException e) {
            err.println("error: " + e.getMessage());
            return ExitCode.USAGE.code();
        } catch (FailureException e) {
            err.println("error: " + e.getMessage());
            return ExitCode.FAILURE.code();
        }
    }

    private ExitCode run(List<String> words, Map<String, String> environment, PrintStream out)
            throws InterruptedException {
        var isNamed = !words.isEmpty() && !words.getFirst().startsWith("-");
        var command = isNamed ? command(words.getFirst()) : root;
        var spec = CommandSpec.of(command.path(), command.description()).with(options(command.flags().stream()));
        return switch (ArgumentParser.parse(
                spec, command.globals(), isNamed ? words.subList(1, words.size()) : words)) {
            case Result.HelpRequested _ -> print(help(command), out);
            case Result.Invocation(var parsed) ->
                parsed.has(VERSION)
                        ? print(String.join(System.lineSeparator(), version) + System.lineSeparator(), out)
                        : command.action().run(new Arguments(givenFlags(command, parsed), environment));
        };
    }

    private Command command(String name) {
        var command = commands.get(name);
        if (command == null) {
            var hint = SimilarWords.to(name, commands.keySet()).map(meant -> ", did you mean '" + meant + "'?");
            throw new UsageException("unexpected argument '" + name + "'" + hint.orElse(""));
        }
        return command;
    }

    private String help(Command command) {
        var visible = command.flags().stream().filter(flag -> !flag.form().isHidden());
        var spec = CommandSpec.of(command.path(), command.description()).with(options(visible));
        var rows = commands.entrySet().stream()
                .map(entry -> new HelpText.Row(entry.getKey(), entry.getValue().description()))
                .toList();
        return HelpText.ofProgram(spec, command.globals(), command.equals(root) ? rows : List.of());
    }

    private static ExitCode print(String text, PrintStream out) {
        out.print(text);
        out.flush();
        return ExitCode.OK;
    }

    private static Map<String, String> givenFlags(Command command, ParsedArguments parsed) {
        var given = new HashMap<String, String>();
        for (var flag : command.flags()) {
            var values = parsed.values(option(flag));
            if (!values.isEmpty()) {
                given.put(flag.name(), flag.form().isRepeatable() ? String.join(",", values) : values.getLast());
            }
        }
        return given;
    }

    private static List<Option> options(Stream<Flag<?>> flags) {
        return flags.map(Program::option).toList();
    }

    /** Declares every flag as text. {@link Flag} parses the types, because environment variables need the same parsing. */
    private static Option option(Flag<?> flag) {
        var name = flag.name().substring("--".length());
        var option = flag.form().isSwitch()
                ? Option.onOff(name, describe(flag))
                : Option.many(name, flag.form().parameter(), describe(flag));
        var shortName = flag.form().shortName();
        if (!shortName.isEmpty()) {
            return option.withShort(shortName.charAt(1));
        }
        return name.equals("output") ? option.withShort('o') : option;
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
        return text.toString();
    }
}
