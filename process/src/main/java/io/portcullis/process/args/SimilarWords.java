package io.portcullis.process.args;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the candidate that the user probably meant, for "did you mean" tips. */
public final class SimilarWords {

    private SimilarWords() {}

    /** The shortest beginning of a candidate, dashes not counted, that is suggested. */
    private static final int SHORTEST_BEGINNING = 3;

    /**
     * Returns the candidate with the smallest edit distance, if the distance is small for its length. Among equal distances,
     * a candidate that only has more letters comes first: {@code rn} means {@code run}, not {@code rm}. Without a near
     * candidate, returns the shortest one that begins with the word.
     */
    public static Optional<String> to(String word, Collection<String> candidates) {
        return candidates.stream()
                .filter(candidate -> distance(word, candidate) <= Math.max(1, candidate.length() / 3))
                .min(Comparator.comparingInt((String candidate) -> distance(word, candidate))
                        .thenComparing(candidate -> !hasLettersOf(word, candidate))
                        .thenComparing(Comparator.naturalOrder()))
                .or(() -> beginningWith(word, candidates));
    }

    private static Optional<String> beginningWith(String word, Collection<String> candidates) {
        return word.replaceFirst("^-+", "").length() < SHORTEST_BEGINNING
                ? Optional.empty()
                : candidates.stream()
                        .filter(candidate -> candidate.startsWith(word))
                        .min(Comparator.comparingInt(String::length).thenComparing(Comparator.naturalOrder()));
    }

    /** Returns whether the candidate contains all letters of the word in their order. */
    private static boolean hasLettersOf(String word, String candidate) {
        var next = 0;
        for (var i = 0; i < candidate.length() && next < word.length(); i++) {
            next += candidate.charAt(i) == word.charAt(next) ? 1 : 0;
        }
        return next == word.length();
    }

    private static int distance(String a, String b) {
        var previous = new int[b.length() + 1];
        for (var j = 0; j <= b.length(); j++) {
            previous[j] = j;
        }
        for (var i = 1; i <= a.length(); i++) {
            var current = new int[b.length() + 1];
            current[0] = i;
            for (var j = 1; j <= b.length(); j++) {
                var substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(substitution, Math.min(previous[j], current[j - 1]) + 1);
            }
            previous = current;
        }
        return previous[b.length()];
    }
}
