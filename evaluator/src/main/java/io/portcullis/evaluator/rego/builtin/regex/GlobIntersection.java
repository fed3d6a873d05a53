package io.portcullis.evaluator.rego.builtin.regex;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks whether a non-empty text matches two patterns at once; two empty patterns also match. The patterns are those
 * of {@code regex.globs_match}: characters, {@code .}, sets such as {@code [a-z]}, each optionally followed by {@code
 * *} or {@code +}.
 */
final class GlobIntersection {

    private GlobIntersection() {}

    /** Walks both patterns in parallel, over all pairs of positions that one text can reach. */
    static boolean isNonEmpty(String left, String right, EvaluationScope scope) {
        var a = parse(left);
        var b = parse(right);
        scope.countResult(2L * (a.size() + 1) * (b.size() + 1));
        if (a.isEmpty() && b.isEmpty()) {
            return true;
        }
        var seen = new boolean[2][a.size() + 1][b.size() + 1];
        return reaches(a, 0, b, 0, 0, seen, scope);
    }

    /** @param consumed 1 if a character was matched before, else 0 */
    private static boolean reaches(
            List<Token> a, int i, List<Token> b, int j, int consumed, boolean[][][] seen, EvaluationScope scope) {
        scope.countSteps(1);
        if (seen[consumed][i][j]) {
            return false;
        }
        seen[consumed][i][j] = true;
        if (i == a.size() && j == b.size()) {
            return consumed == 1;
        }
        if (i < a.size() && a.get(i).optional && reaches(a, i + 1, b, j, consumed, seen, scope)) {
            return true;
        }
        if (j < b.size() && b.get(j).optional && reaches(a, i, b, j + 1, consumed, seen, scope)) {
            return true;
        }
        if (i == a.size() || j == b.size() || !a.get(i).meets(b.get(j))) {
            return false;
        }
        boolean stayLeft = a.get(i).repeats;
        boolean stayRight = b.get(j).repeats;
        return reaches(a, i + 1, b, j + 1, 1, seen, scope)
                || (stayLeft && reaches(a, i, b, j + 1, 1, seen, scope))
                || (stayRight && reaches(a, i + 1, b, j, 1, seen, scope));
    }

    private static List<Token> parse(String glob) {
        var tokens = new ArrayList<Token>();
        var points = glob.codePoints().toArray();
        int i = 0;
        while (i < points.length) {
            var characters = new ArrayList<int[]>();
            boolean any = false;
            int c = points[i++];
            switch (c) {
                case '.' -> any = true;
                case '[' -> i = set(points, i, characters);
                case '\\' -> {
                    if (i == points.length) {
                        throw new BuiltinException("bad input: trailing escape");
                    }
                    characters.add(new int[] {points[i], points[i++]});
                }
                case '*', '+', ']' ->
                    throw new BuiltinException("bad input: unexpected '" + Character.toString(c) + "'");
                default -> characters.add(new int[] {c, c});
            }
            boolean star = i < points.length && points[i] == '*';
            boolean plus = i < points.length && points[i] == '+';
            if (star || plus) {
                i++;
            }
            if (plus) {
                tokens.add(new Token(any, characters, false, false));
            }
            tokens.add(new Token(any, characters, star || plus, star || plus));
        }
        return tokens;
    }

    private static int set(int[] points, int start, List<int[]> characters) {
        int i = start;
        while (i < points.length && points[i] != ']') {
            int from = points[i] == '\\' && i + 1 < points.length ? points[++i] : points[i];
            i++;
            if (i + 1 < points.length && points[i] == '-' && points[i + 1] != ']') {
                if (points[i + 1] < from) {
                    throw new BuiltinException("bad input: range out of order");
                }
                characters.add(new int[] {from, points[i + 1]});
                i += 2;
            } else {
                characters.add(new int[] {from, from});
            }
        }
        if (i == points.length) {
            throw new BuiltinException("bad input: set is not closed");
        }
        return i + 1;
    }

    /** @param characters ranges, both ends included */
    private record Token(boolean any, List<int[]> characters, boolean optional, boolean repeats) {
        boolean meets(Token other) {
            return any
                    || other.any
                    || characters.stream()
                            .anyMatch(one ->
                                    other.characters.stream().anyMatch(two -> one[0] <= two[1] && two[0] <= one[1]));
        }
    }
}
