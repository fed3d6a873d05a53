package io.portcullis.kwctl.reference;

import io.portcullis.kwctl.cli.Page;
import io.portcullis.process.args.HelpText;
import io.portcullis.process.args.Positional;
import java.util.List;
import java.util.stream.Collectors;

/** The markup formats of the reference. They differ in the syntax of headings, code and lists. */
public enum ReferenceFormat {
    MARKDOWN("#", "`", "* ", "```\n%s\n```\n"),
    ASCIIDOC("=", "`", "* ", "----\n%s\n----\n");

    private final String heading;
    private final String code;
    private final String bullet;
    private final String block;

    ReferenceFormat(String heading, String code, String bullet, String block) {
        this.heading = heading;
        this.code = code;
        this.bullet = bullet;
        this.block = block;
    }

    /** Returns Markdown for names that end in {@code .md}, AsciiDoc for all others. */
    public static ReferenceFormat ofFile(String name) {
        return name.endsWith(".md") ? MARKDOWN : ASCIIDOC;
    }

    public String document(List<Page> pages) {
        var sections = pages.stream().map(this::section).collect(Collectors.joining("\n"));
        return heading + " Command-line reference of kwctl\n\n" + sections;
    }

    private String section(Page page) {
        var spec = page.spec();
        var text = new StringBuilder();
        text.append(heading.repeat(2)).append(' ').append(mark(page.path())).append("\n\n");
        text.append(spec.summary()).append("\n\n");
        if (!spec.description().isEmpty()) {
            text.append(spec.description().strip()).append("\n\n");
        }
        var usage = page.children().isEmpty() ? HelpText.usage(spec) : page.path() + " [OPTIONS] <COMMAND>";
        text.append(block.formatted(usage));
        list(text, "Commands", page.children());
        list(
                text,
                "Arguments",
                spec.positionals().stream().map(ReferenceFormat::row).toList());
        list(text, "Options", page.options().stream().map(HelpText::row).toList());
        return text.toString();
    }

    private static HelpText.Row row(Positional positional) {
        return new HelpText.Row(positional.display(), positional.help());
    }

    private void list(StringBuilder text, String title, List<HelpText.Row> rows) {
        if (rows.isEmpty()) {
            return;
        }
        text.append('\n').append(heading.repeat(3)).append(' ').append(title).append("\n\n");
        rows.forEach(row -> text.append(bullet)
                .append(mark(row.term().strip()))
                .append(": ")
                .append(row.text())
                .append('\n'));
    }

    private String mark(String term) {
        return code + term + code;
    }
}
