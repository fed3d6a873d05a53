package io.portcullis.process.cli;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the flag or command that the user probably meant. */
final class Similar {

    private Similar() {}

    /** Returns the nearest candidate, if it differs from the word in at most a third of its letters. */
    static Optional<String> to(String word, Collection<String> candidates) {
        return candidates.stream()
                .min(Comparator.comparingInt(candidate -> distance(word, candidate)))
                .filter(nearest -> distance(word, nearest) <= Math.max(1, word.length() / 3));
    }

    /** Returns the Levenshtein distance. */
    static int distance(String left, String right) {
        var previous = new int[right.length() + 1];
        for (var j = 0; j < previous.length; j++) {
            previous[j] = j;
        }
        for (var i = 1; i <= left.length(); i++) {
            var current = new int[right.length() + 1];
            current[0] = i;
            for (var j = 1; j <= right.length(); j++) {
                var substitution = previous[j - 1] + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(substitution, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[right.length()];
    }
}
