package io.portcullis.kwctl.cli;

import io.portcullis.process.args.CommandSpec;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The description of one command for reference pages and completions.
 *
 * @param children names and summaries of the subcommands; empty for commands that can run
 */
public record Page(CommandSpec spec, List<HelpText.Row> children) {

    /** Flattens the tree: parents before their children, without hidden commands. */
    public static List<Page> all(CommandTree.Branch root) {
        var pages = new ArrayList<Page>();
        collect(root, root.name(), pages);
        return pages;
    }

    private static void collect(CommandTree node, String path, List<Page> pages) {
        switch (node) {
            case CommandTree.Leaf leaf ->
                pages.add(new Page(leaf.command().get().spec(), List.of()));
            case CommandTree.Branch branch -> {
                pages.add(new Page(CommandSpec.of(path, branch.summary()), rows(branch)));
                branch.listed().forEach(child -> collect(child, path + " " + child.name(), pages));
            }
        }
    }

    /** Returns the subcommands of a branch, and {@code help}, which every branch has. */
    public static List<HelpText.Row> rows(CommandTree.Branch branch) {
        return Stream.concat(
                        branch.listed().stream().map(child -> new HelpText.Row(child.name(), child.summary())),
                        Stream.of(
                                new HelpText.Row("help", "Print this message or the help of the given subcommand(s)")))
                .toList();
    }

    public String path() {
        return spec.path();
    }

    public List<Option> options() {
        return children.isEmpty() ? spec.allOptions(Globals.OPTIONS) : Globals.OPTIONS;
    }
}
