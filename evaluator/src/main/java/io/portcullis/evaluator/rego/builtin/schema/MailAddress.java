package io.portcullis.evaluator.rego.builtin.schema;

import com.google.re2j.Pattern;

/**
 * Checks mail addresses like Go's {@code net/mail}: {@code a@b}, or a name and {@code <a@b>}. No comments, no groups.
 */
final class MailAddress {

    private static final String ATOM = "[^\\x00-\\x20()<>\\[\\]:;@\\\\,.\"\\x7f]+";
    private static final String DOT_ATOM = ATOM + "(?:\\." + ATOM + ")*";
    private static final String QUOTED = "\"(?:[^\"\\\\\\x00-\\x08\\x0a-\\x1f]|\\\\[\\x20-\\x7e])*\"";
    private static final String WORD = "(?:" + ATOM + "|" + QUOTED + ")";
    private static final String SPEC = "(?:" + DOT_ATOM + "|" + QUOTED + ")@(?:" + DOT_ATOM + "|\\[[0-9a-fA-F.:]+\\])";
    private static final Pattern ADDRESS = Pattern.compile(
            "[ \\t]*(?:" + SPEC + "|(?:" + WORD + "[ \\t]*(?:" + WORD + "[ \\t]*|\\.[ \\t]*)*)?<" + SPEC + ">)[ \\t]*");

    private MailAddress() {}

    static boolean isValid(String text) {
        return ADDRESS.matches(text);
    }
}
