package io.portcullis.kwctl.suite;

import java.util.ArrayList;
import java.util.List;

/** Splits a line into words as a shell does. Supports only quotes and backslashes. */
final class ShellWords {

    private ShellWords() {}

    static List<String> split(String line) {
        var words = new ArrayList<String>();
        var word = new StringBuilder();
        var started = false;
        var quote = '\0';
        for (var i = 0; i < line.length(); i++) {
            var c = line.charAt(i);
            if (c == '\\' && quote != '\'' && i + 1 < line.length()) {
                var next = line.charAt(++i);
                // In double quotes, a backslash stays unless it escapes a special character.
                word.append(quote == '"' && "\"\\$`".indexOf(next) < 0 ? "\\" : "")
                        .append(next);
                started = true;
            } else if (quote != '\0') {
                if (c == quote) {
                    quote = '\0';
                } else {
                    word.append(c);
                }
            } else if (c == '\'' || c == '"') {
                quote = c;
                started = true;
            } else if (Character.isWhitespace(c)) {
                if (started) {
                    words.add(word.toString());
                    word.setLength(0);
                    started = false;
                }
            } else {
                word.append(c);
                started = true;
            }
        }
        if (started) {
            words.add(word.toString());
        }
        return words;
    }
}
