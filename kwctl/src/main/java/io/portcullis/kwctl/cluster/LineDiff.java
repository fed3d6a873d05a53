package io.portcullis.kwctl.cluster;

import java.util.ArrayList;
import java.util.List;

/**
 * Compares two texts line by line. Each line of the result begins with a space (unchanged), {@code -} (only in the first) or
 * {@code +} (only in the second). {@code @@} replaces unchanged lines that are far from any change.
 */
final class LineDiff {

    private static final int CONTEXT = 3;

    /** The largest table of the longest common subsequence. Larger differences are shown as one replacement. */
    private static final int MAX_CELLS = 4_000_000;

    private LineDiff() {}

    static List<String> of(List<String> before, List<String> after) {
        int start = 0;
        while (start < before.size()
                && start < after.size()
                && before.get(start).equals(after.get(start))) {
            start++;
        }
        int end = 0;
        while (end < before.size() - start
                && end < after.size() - start
                && before.get(before.size() - 1 - end).equals(after.get(after.size() - 1 - end))) {
            end++;
        }
        var lines = new ArrayList<String>();
        before.subList(0, start).forEach(line -> lines.add(" " + line));
        lines.addAll(middle(before.subList(start, before.size() - end), after.subList(start, after.size() - end)));
        before.subList(before.size() - end, before.size()).forEach(line -> lines.add(" " + line));
        return withoutFarLines(lines);
    }

    private static List<String> middle(List<String> before, List<String> after) {
        var lines = new ArrayList<String>();
        if ((long) (before.size() + 1) * (after.size() + 1) > MAX_CELLS) {
            before.forEach(line -> lines.add("-" + line));
            after.forEach(line -> lines.add("+" + line));
            return lines;
        }
        var common = new int[before.size() + 1][after.size() + 1];
        for (int i = before.size() - 1; i >= 0; i--) {
            for (int j = after.size() - 1; j >= 0; j--) {
                common[i][j] = before.get(i).equals(after.get(j))
                        ? common[i + 1][j + 1] + 1
                        : Math.max(common[i + 1][j], common[i][j + 1]);
            }
        }
        int i = 0;
        int j = 0;
        while (i < before.size() || j < after.size()) {
            if (i < before.size() && j < after.size() && before.get(i).equals(after.get(j))) {
                lines.add(" " + before.get(i));
                i++;
                j++;
            } else if (j == after.size() || (i < before.size() && common[i + 1][j] >= common[i][j + 1])) {
                lines.add("-" + before.get(i));
                i++;
            } else {
                lines.add("+" + after.get(j));
                j++;
            }
        }
        return lines;
    }

    private static List<String> withoutFarLines(List<String> lines) {
        var shown = new ArrayList<String>();
        boolean isSkipping = false;
        for (int i = 0; i < lines.size(); i++) {
            if (isNearChange(lines, i)) {
                shown.add(lines.get(i));
                isSkipping = false;
            } else if (!isSkipping) {
                shown.add("@@");
                isSkipping = true;
            }
        }
        return shown;
    }

    private static boolean isNearChange(List<String> lines, int at) {
        return lines.subList(Math.max(0, at - CONTEXT), Math.min(lines.size(), at + CONTEXT + 1)).stream()
                .anyMatch(line -> !line.startsWith(" "));
    }
}
