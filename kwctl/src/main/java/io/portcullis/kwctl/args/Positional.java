package io.portcullis.kwctl.args;

/** An argument known by its place. The last one of a command may repeat, or be left out. */
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

    /** As usage lines write it, for example {@code <uri>}, {@code <policy>...} or {@code [path]...}. */
    public String display() {
        return (isRequired ? "<" + name + ">" : "[" + name + "]") + (repeats ? "..." : "");
    }
}
