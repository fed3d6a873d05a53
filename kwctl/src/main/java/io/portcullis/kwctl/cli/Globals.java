package io.portcullis.kwctl.cli;

import io.portcullis.process.args.Option;
import io.portcullis.process.args.ParsedArguments;
import java.util.List;

/** Options that every command takes, at any position, unless the command has an option of the same name. */
public record Globals(boolean verbose, boolean noColor) {

    public static final Option VERBOSE =
            Option.flag("verbose", "Log at debug level instead of info").withShort('v');
    public static final Option NO_COLOR = Option.flag("no-color", "Print neither colours nor other terminal styles");
    public static final Option HELP =
            Option.flag("help", "Print help (see more with '--help')").withShort('h');

    public static final List<Option> OPTIONS = List.of(HELP, NO_COLOR, VERBOSE);

    public static final Globals NONE = new Globals(false, false);

    /** Returns the flags that the user gave after the command's name. */
    public static Globals of(ParsedArguments arguments) {
        return new Globals(arguments.has(VERBOSE), arguments.has(NO_COLOR));
    }

    /** Merges the flags before the command's name with the flags after it. Both count alike. */
    public Globals and(Globals other) {
        return new Globals(verbose || other.verbose, noColor || other.noColor);
    }
}
