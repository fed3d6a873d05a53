package io.portcullis.evaluator.rego.builtin;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Whether some text, not counting the empty one, matches two patterns at once; two empty patterns do. The patterns are those of {@code regex.globs_match}: characters,
 * {@code .}, sets such as {@code [a-z]}, each optionally followed by {@code *} or {@code +}.
 */
final class GlobIntersection {

    private GlobIntersection() {}

    /** Walks both patterns in step, over all pairs of positions that one text can reach. */
    static boolean isNonEmpty(String left, String right) {
        var a = parse(left);
        var b = parse(right);
        if (a.isEmpty() && b.isEmpty()) {
            return true;
        }
        var seen = new boolean[2][a.size() + 1][b.size() + 1];
        return reaches(a, 0, b, 0, 0, seen);
    }

    /** @param consumed 1 when a character was matched on the way here, else 0 */
    private static boolean reaches(List<Token> a, int i, List<Token> b, int j, int consumed, boolean[][][] seen) {
        if (seen[consumed][i][j]) {
            return false;
        }
        seen[consumed][i][j] = true;
        if (i == a.size() && j == b.size()) {
            return consumed == 1;
        }
        if (i < a.size() && a.get(i).optional && reaches(a, i + 1, b, j, consumed, seen)) {
            return true;
        }
        if (j < b.size() && b.get(j).optional && reaches(a, i, b, j + 1, consumed, seen)) {
            return true;
        }
        if (i == a.size() || j == b.size() || !a.get(i).meets(b.get(j))) {
            return false;
        }
        boolean stayLeft = a.get(i).repeats;
        boolean stayRight = b.get(j).repeats;
        return reaches(a, i + 1, b, j + 1, 1, seen)
                || (stayLeft && reaches(a, i, b, j + 1, 1, seen))
                || (stayRight && reaches(a, i + 1, b, j, 1, seen));
    }

    private static List<Token> parse(String glob) {
        var tokens = new ArrayList<Token>();
        var points = glob.codePoints().toArray();
        int i = 0;
        while (i < points.length) {
            var characters = new BitSet();
            boolean any = false;
            int c = points[i++];
            switch (c) {
                case '.' -> any = true;
                case '[' -> i = set(points, i, characters);
                case '\\' -> {
                    if (i == points.length) {
                        throw new BuiltinException("bad input: trailing escape");
                    }
                    characters.set(points[i++]);
                }
                case '*', '+', ']' ->
                    throw new BuiltinException("bad input: unexpected '" + Character.toString(c) + "'");
                default -> characters.set(c);
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

    private static int set(int[] points, int start, BitSet characters) {
        int i = start;
        while (i < points.length && points[i] != ']') {
            int from = points[i] == '\\' && i + 1 < points.length ? points[++i] : points[i];
            i++;
            if (i + 1 < points.length && points[i] == '-' && points[i + 1] != ']') {
                characters.set(from, points[i + 1] + 1);
                i += 2;
            } else {
                characters.set(from);
            }
        }
        if (i == points.length) {
            throw new BuiltinException("bad input: set is not closed");
        }
        return i + 1;
    }

    private record Token(boolean any, BitSet characters, boolean optional, boolean repeats) {
        boolean meets(Token other) {
            return any || other.any || characters.intersects(other.characters);
        }
    }
}
