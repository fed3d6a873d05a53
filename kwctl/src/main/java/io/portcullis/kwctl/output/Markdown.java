package io.portcullis.kwctl.output;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Renders Markdown for a terminal: styles headings, emphasis and code, and leaves all other text unchanged. */
public final class Markdown {

    private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*)$");
    private static final Pattern INLINE = Pattern.compile("`([^`]+)`|\\*\\*([^*]+)\\*\\*");
    private static final Pattern ITEM = Pattern.compile("^(\\s*)[*-] (.*)$");

    private Markdown() {}

    /** Renders the text. Without styles, returns the source, which is the most readable form. */
    public static String render(String source, boolean styled) {
        if (!styled) {
            return source;
        }
        var text = new StringBuilder();
        var inCode = false;
        for (var line : source.split("\n", -1)) {
            if (line.stripLeading().startsWith("```")) {
                inCode = !inCode;
                continue;
            }
            text.append(inCode ? Style.CYAN.apply("    " + line, true) : line(line))
                    .append('\n');
        }
        return text.substring(0, text.length() - 1);
    }

    private static String line(String line) {
        var heading = HEADING.matcher(line);
        if (heading.matches()) {
            return Style.BOLD.apply(Style.UNDERLINE.apply(heading.group(1), true), true);
        }
        var item = ITEM.matcher(line);
        return inline(item.matches() ? item.group(1) + "• " + item.group(2) : line);
    }

    private static String inline(String line) {
        return INLINE.matcher(line).replaceAll(Markdown::styled);
    }

    private static String styled(MatchResult match) {
        var code = match.group(1);
        var text = code == null ? Style.BOLD.apply(match.group(2), true) : Style.CYAN.apply(code, true);
        return Matcher.quoteReplacement(text);
    }
}
