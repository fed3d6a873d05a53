package io.portcullis.kwctl.cluster;

import io.portcullis.kwctl.output.Table;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Renders rows in columns with two spaces between them, without trailing spaces. */
final class Columns {

    private static final String NOTHING = "-";

    private Columns() {}

    static String of(List<String> heading, List<List<String>> rows) {
        var cells = Stream.concat(Stream.of(heading), rows.stream())
                .map(row -> row.stream().map(Columns::cell).toList())
                .toList();
        return Table.plain(cells).lines().map(String::stripTrailing).collect(Collectors.joining("\n", "", "\n"));
    }

    private static String cell(String text) {
        var plain = PlainText.of(text);
        return (plain.isEmpty() ? NOTHING : plain) + " ";
    }
}
