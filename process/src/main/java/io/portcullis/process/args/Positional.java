package io.portcullis.process.args;

/** An argument that its position identifies. The last one of a command may be repeated or optional. */
public record Positional(String name, boolean isRequired, boolean repeats, String help) {

    public static Positional one(String name, String help) {
        return new Positional(name, true, false, help);
    }

    public static Positional oneOrMore(String name, String help) {
        return new Positional(name, true, true, help);
    }

    public static Positional any(String name, String help) {
        return new Positional(name, false, true, help);
    }

    /** Returns the argument as usage lines show it, for example {@code <uri>}, {@code <policy>...} or {@code [path]...}. */
    public String display() {
        return (isRequired ? "<" + name + ">" : "[" + name + "]") + (repeats ? "..." : "");
    }
}
