package io.portcullis.evaluator.group;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Renders the results of members as warnings of a rejected group. Pure.
 *
 * <p>An API server sends warnings as headers. It drops a warning that contains control characters, and shortens or
 * drops warnings that are longer than 4096 bytes together. So texts of members are cleaned and bounded here.
 */
final class MemberWarnings {

    static final int MAX_RESULTS = 15;
    static final int MAX_LENGTH = 256;

    private MemberWarnings() {}

    /** The result of one evaluated member. An accepted member has no message. */
    record Result(String member, boolean accepted, Optional<String> message) {}

    /** Returns one warning for each result, in the given order, and one for all results beyond the limit. */
    static List<String> of(List<Result> results) {
        var warnings = new ArrayList<String>();
        results.stream().limit(MAX_RESULTS).map(MemberWarnings::text).forEach(warnings::add);
        if (results.size() > MAX_RESULTS) {
            warnings.add("results of " + (results.size() - MAX_RESULTS) + " more members are not shown");
        }
        return warnings;
    }

    private static String text(Result result) {
        if (result.accepted) {
            return bounded(result.member + " was accepted");
        }
        return bounded(result.member + " was rejected"
                + result.message
                        .filter(text -> !text.isBlank())
                        .map(": "::concat)
                        .orElse(""));
    }

    private static String bounded(String text) {
        boolean fits = text.length() <= MAX_LENGTH;
        int end = fits ? text.length() : MAX_LENGTH - 1;
        if (!fits && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        var clean = new StringBuilder(end + 1);
        for (int i = 0; i < end; i++) {
            clean.append(Character.isISOControl(text.charAt(i)) ? ' ' : text.charAt(i));
        }
        return fits ? clean.toString() : clean.append('…').toString();
    }
}
