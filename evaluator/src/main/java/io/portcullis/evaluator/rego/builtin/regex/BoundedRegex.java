package io.portcullis.evaluator.rego.builtin.regex;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.wasm.TrapException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Regular expressions in RE2 syntax with limits. RE2/J matches in linear time. But the expression {@code
 * (a{1000}){1000}} compiles to a million instructions, and each character of a text may visit all of them.
 */
public final class BoundedRegex {

    /** The maximum number of instructions. Typical expressions need far fewer; Go would allow three million. */
    static final long MAX_INSTRUCTIONS = 16_384;

    /**
     * The maximum number of group positions; during matching, each instruction can store the positions of all groups.
     */
    private static final long MAX_GROUP_POSITIONS = 1_000_000;

    /** The maximum nesting depth, as in Go. */
    private static final int MAX_DEPTH = 1_000;

    /** The maximum total size of all cached expressions. */
    private static final long MAX_CACHED_SIZE = 200_000;

    private static final Map<String, Pattern> COMPILED = new ConcurrentHashMap<>();
    private static final AtomicLong CACHED_SIZE = new AtomicLong();

    private BoundedRegex() {}

    /**
     * @throws PatternSyntaxException if it is not a regular expression
     * @throws TrapException if it is too large
     */
    public static Pattern compile(String regex) {
        var cached = COMPILED.get(regex);
        if (cached != null) {
            return cached;
        }
        long size = checkedSize(regex);
        var pattern = Pattern.compile(regex);
        if (CACHED_SIZE.addAndGet(size) > MAX_CACHED_SIZE) {
            COMPILED.clear();
            CACHED_SIZE.set(size);
        }
        COMPILED.put(regex, pattern);
        return pattern;
    }

    /** Wraps the text for the matcher. Reading stops after the deadline of the evaluation. */
    public static CharSequence input(String text, EvaluationScope scope) {
        return new Interruptible(text, scope);
    }

    /** Counts the work of the matcher for each character, which is at maximum {@link #MAX_INSTRUCTIONS} instructions. */
    private record Interruptible(String text, EvaluationScope scope) implements CharSequence {

        @Override
        public char charAt(int index) {
            scope.countSteps(STEPS_PER_CHARACTER);
            return text.charAt(index);
        }

        @Override
        public int length() {
            return text.length();
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return text.subSequence(start, end);
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static final long STEPS_PER_CHARACTER = 64;

    private static long checkedSize(String regex) {
        var estimate = new Estimate(regex);
        long size = estimate.run();
        if (size > MAX_INSTRUCTIONS || estimate.maxDepth > MAX_DEPTH) {
            throw limit(
                    "a regular expression of %d characters has more than %d instructions when its repetitions are written out"
                            .formatted(regex.length(), MAX_INSTRUCTIONS));
        }
        if (size * (estimate.groups + 1) > MAX_GROUP_POSITIONS) {
            throw limit("a regular expression has too many groups: %d".formatted(estimate.groups));
        }
        return size;
    }

    private static TrapException limit(String message) {
        return new TrapException(TrapException.Kind.LIMIT, message + "; the limit cannot be changed", List.of(), null);
    }

    /**
     * Computes an upper bound for the number of instructions of an expression, in one pass over its text. Accepts
     * invalid expressions too, because the compiler reports those.
     */
    private static final class Estimate {
        private final String regex;
        private int position;
        private int maxDepth;
        private long groups;

        /** For each open group: the size of everything before its last part, and the size of that part. */
        private final java.util.ArrayDeque<long[]> open = new java.util.ArrayDeque<>();

        private long[] current = new long[2];

        Estimate(String regex) {
            this.regex = regex;
        }

        long run() {
            while (position < regex.length() && current[0] + current[1] <= MAX_INSTRUCTIONS) {
                next(regex.charAt(position++));
            }
            while (!open.isEmpty()) {
                close();
            }
            return current[0] + current[1] + 2;
        }

        private void next(char c) {
            switch (c) {
                case '\\' -> escape();
                case '[' -> {
                    skipClass();
                    part(1);
                }
                case '(' -> open();
                case ')' -> {
                    if (!open.isEmpty()) {
                        close();
                    }
                }
                case '*', '+', '?' -> current[1]++;
                case '|' -> part(2);
                case '{' -> repeat();
                default -> part(1);
            }
        }

        private void part(long size) {
            current[0] += current[1];
            current[1] = size;
        }

        private void escape() {
            if (regex.startsWith("Q", position)) {
                int end = regex.indexOf("\\E", position);
                int stop = end < 0 ? regex.length() : end;
                part(stop - position);
                position = end < 0 ? regex.length() : end + 2;
                return;
            }
            int escaped = position < regex.length() ? regex.charAt(position++) : ' ';
            if ((escaped == 'p' || escaped == 'P' || escaped == 'x') && regex.startsWith("{", position)) {
                int end = regex.indexOf('}', position);
                position = end < 0 ? regex.length() : end + 1;
            }
            part(1);
        }

        private void skipClass() {
            if (regex.startsWith("^", position)) {
                position++;
            }
            if (regex.startsWith("]", position)) {
                position++;
            }
            while (position < regex.length() && regex.charAt(position) != ']') {
                if (regex.startsWith("[:", position) && regex.indexOf(":]", position) > 0) {
                    position = regex.indexOf(":]", position) + 2;
                } else {
                    position += regex.charAt(position) == '\\' ? 2 : 1;
                }
            }
            position++;
        }

        private void open() {
            groups++;
            open.push(current);
            current = new long[2];
            maxDepth = Math.max(maxDepth, open.size());
            if (regex.startsWith("?", position)) {
                position++; // flags and names are counted as characters
            }
        }

        private void close() {
            long size = current[0] + current[1] + 2;
            current = open.pop();
            part(size);
        }

        private void repeat() {
            int end = regex.indexOf('}', position);
            var range = end < 0 || end - position > 12 ? "" : regex.substring(position, end);
            if (!range.matches("[0-9]{1,5}(,[0-9]{0,5})?")) {
                part(1);
                return;
            }
            position = end + 1;
            var bounds = range.split(",", -1);
            long maximum = Long.parseLong(bounds[bounds.length - 1].isEmpty() ? bounds[0] : bounds[bounds.length - 1]);
            current[1] = (current[1] + 1) * (Math.max(Long.parseLong(bounds[0]), maximum) + 1);
        }
    }
}
