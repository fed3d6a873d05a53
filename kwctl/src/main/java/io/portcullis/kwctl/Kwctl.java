package io.portcullis.kwctl;

import io.portcullis.kwctl.cli.Command;
import io.portcullis.kwctl.cli.CommandSession;
import io.portcullis.kwctl.cli.CommandTree;
import io.portcullis.kwctl.cli.CommandTree.Branch;
import io.portcullis.kwctl.cli.CommandTree.Leaf;
import io.portcullis.kwctl.cli.ErrorText;
import io.portcullis.kwctl.cli.Globals;
import io.portcullis.kwctl.cli.KwctlExitCode;
import io.portcullis.kwctl.cli.Page;
import io.portcullis.kwctl.cli.Version;
import io.portcullis.kwctl.log.KwctlLogSettings;
import io.portcullis.kwctl.log.LogSink;
import io.portcullis.process.args.ArgumentException;
import io.portcullis.process.args.ArgumentParser;
import io.portcullis.process.args.ArgumentParser.Result;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Option;
import io.portcullis.process.args.SimilarWords;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Dispatches a command line to its command, and maps the outcome to an exit code. Contains no logic of any command. */
final class Kwctl {

    private static final Option VERSION =
            Option.flag("version", "Print version").withShort('V');
    private static final String PROXY_NOTE =
            "Proxies are taken from HTTP_PROXY, HTTPS_PROXY and NO_PROXY, unless a sources file names them.";

    private final Branch root;
    private final CommandSession session;

    Kwctl(Branch root, CommandSession session) {
        this.root = root;
        this.session = session;
    }

    /** Runs one command line. Prints every failure to standard error and reports it by the exit code. */
    KwctlExitCode run(List<String> words) {
        try {
            return descend(root, root.name(), words, Globals.NONE);
        } catch (ArgumentException e) {
            session.err().print(e.getMessage());
            return KwctlExitCode.USAGE;
        } finally {
            session.out().flush();
            session.err().flush();
        }
    }

    private KwctlExitCode descend(Branch branch, String path, List<String> words, Globals globals) {
        if (words.isEmpty()) {
            return missingCommand(branch, path);
        }
        var word = words.getFirst();
        var rest = words.subList(1, words.size());
        return switch (word) {
            case "-h", "--help" -> print(groupHelp(branch, path, word.equals("--help")));
            case "help" -> help(branch, path, rest);
            case "-v", "--verbose" -> descend(branch, path, rest, globals.and(new Globals(true, false)));
            case "--no-color" -> descend(branch, path, rest, globals.and(new Globals(false, true)));
            default -> isRoot(branch) && isVersionFlag(word) ? version(word) : child(branch, path, words, globals);
        };
    }

    private KwctlExitCode child(Branch branch, String path, List<String> words, Globals globals) {
        var word = words.getFirst();
        var rest = words.subList(1, words.size());
        return switch (branch.child(word).orElseThrow(() -> unknown(branch, path, word))) {
            case Branch child -> descend(child, path + " " + word, rest, globals);
            case Leaf leaf -> execute(leaf.command().get(), rest, globals);
        };
    }

    private boolean isRoot(Branch branch) {
        return branch.name().equals(root.name());
    }

    private static boolean isVersionFlag(String word) {
        return word.equals("-V") || word.equals("--version");
    }

    private KwctlExitCode version(String word) {
        var hint = word.equals("-V") ? "" : "\nRun `kwctl info` for the versions and directories in use.\n";
        return print("kwctl " + Version.NUMBER + "\n" + hint);
    }

    private KwctlExitCode execute(Command command, List<String> words, Globals before) {
        return switch (ArgumentParser.parse(command.spec(), Globals.OPTIONS, words)) {
            case Result.HelpRequested(var longForm) -> print(HelpText.of(command.spec(), Globals.OPTIONS, longForm));
            case Result.Invocation(var arguments) -> {
                var globals = before.and(Globals.of(arguments));
                var shownSession =
                        globals.noColor() ? session.with(session.terminal().unstyled()) : session;
                LogSink.install(shownSession, KwctlLogSettings.of(globals.verbose(), shownSession));
                try {
                    yield command.run(arguments, shownSession);
                } catch (RuntimeException e) {
                    session.out().flush();
                    session.err().print(ErrorText.of(e, wantsStackTrace()));
                    yield KwctlExitCode.FAILURE;
                }
            }
        };
    }

    private boolean wantsStackTrace() {
        return session.variable("RUST_BACKTRACE")
                .filter(value -> !value.equals("0"))
                .isPresent();
    }

    private KwctlExitCode help(Branch branch, String path, List<String> words) {
        if (words.isEmpty()) {
            return print(groupHelp(branch, path, true));
        }
        var word = words.getFirst();
        if (asksForHelp(word)) {
            return print(groupHelp(branch, path, !word.equals("-h")));
        }
        return switch (branch.child(word).orElseThrow(() -> unknown(branch, path, word))) {
            case Branch child -> help(child, path + " " + word, words.subList(1, words.size()));
            case Leaf leaf -> print(HelpText.of(leaf.command().get().spec(), Globals.OPTIONS, true));
        };
    }

    private static boolean asksForHelp(String word) {
        return word.equals("help") || word.equals("--help") || word.equals("-h");
    }

    private KwctlExitCode missingCommand(Branch branch, String path) {
        if (isRoot(branch)) {
            session.err().print(groupHelp(branch, path, false));
            return KwctlExitCode.USAGE;
        }
        var names = Page.rows(branch).stream().map(HelpText.Row::term).collect(Collectors.joining(", "));
        throw ArgumentException.of(
                "'" + path + "' requires a subcommand but one was not provided\n  [subcommands: " + names + "]",
                "",
                path + " [OPTIONS] <COMMAND>");
    }

    private static ArgumentException unknown(Branch branch, String path, String word) {
        var usage = path + " [OPTIONS] <COMMAND>";
        if (word.startsWith("-")) {
            return ArgumentException.of("unexpected argument '" + word + "' found", "", usage);
        }
        var names = branch.listed().stream().map(CommandTree::name).toList();
        var tip = SimilarWords.to(word, names)
                .map(name -> "a similar subcommand exists: '" + name + "'")
                .orElse("");
        return ArgumentException.of("unrecognized subcommand '" + word + "'", tip, usage);
    }

    private String groupHelp(Branch branch, String path, boolean longForm) {
        var options = isRoot(branch)
                ? Stream.concat(Globals.OPTIONS.stream(), Stream.of(VERSION)).toList()
                : Globals.OPTIONS;
        return HelpText.ofGroup(
                path, branch.summary(), Page.rows(branch), options, longForm && isRoot(branch) ? PROXY_NOTE : "");
    }

    private KwctlExitCode print(String text) {
        session.out().print(text);
        return KwctlExitCode.SUCCESS;
    }
}
