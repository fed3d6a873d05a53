package io.portcullis.kwctl.output;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Renders rows of text in columns. */
public final class Table {

    private Table() {}

    /** Renders a table with borders; the first row is the heading. */
    public static String bordered(List<String> heading, List<List<String>> rows) {
        var widths = widths(Stream.concat(Stream.of(heading), rows.stream()).toList());
        var line = widths.stream().map(width -> "-".repeat(width + 2)).collect(Collectors.joining("+", "+", "+\n"));
        var body = rows.stream().map(row -> borderedRow(row, widths)).collect(Collectors.joining());
        return line + borderedRow(heading, widths) + line + body + line;
    }

    /** Renders left-aligned columns without borders. One space follows every cell. */
    public static String plain(List<List<String>> rows) {
        var widths = widths(rows);
        return rows.stream()
                .map(row -> IntStream.range(0, row.size())
                        .mapToObj(i -> pad(row.get(i), widths.get(i)) + " ")
                        .collect(Collectors.joining("", "", "\n")))
                .collect(Collectors.joining());
    }

    private static String borderedRow(List<String> row, List<Integer> widths) {
        return IntStream.range(0, row.size())
                .mapToObj(i -> " " + pad(row.get(i), widths.get(i)) + " ")
                .collect(Collectors.joining("|", "|", "|\n"));
    }

    private static List<Integer> widths(List<List<String>> rows) {
        var columns = rows.stream().mapToInt(List::size).max().orElse(0);
        return IntStream.range(0, columns)
                .mapToObj(i -> rows.stream()
                        .filter(row -> row.size() > i)
                        .mapToInt(row -> Style.width(row.get(i)))
                        .max()
                        .orElse(0))
                .toList();
    }

    private static String pad(String cell, int width) {
        return cell + " ".repeat(width - Style.width(cell));
    }
}
