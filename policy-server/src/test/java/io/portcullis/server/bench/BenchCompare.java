package io.portcullis.server.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Compares two JSON files of {@code ./portcullis bench serve --json FILE}: prints the second divided by the first. */
public final class BenchCompare {

    private BenchCompare() {}

    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        if (arguments.size() != 2) {
            err.println("usage: ./portcullis bench compare BEFORE.json AFTER.json");
            return 2;
        }
        for (var argument : arguments) {
            if (!Files.isRegularFile(Path.of(argument))) {
                err.println(argument + ": no such file; write it with ./portcullis bench serve --json " + argument);
                return 1;
            }
        }
        try {
            compare(rows(arguments.getFirst()), rows(arguments.getLast()), out);
            return 0;
        } catch (IOException e) {
            err.println(e.getMessage());
            return 1;
        }
    }

    private static List<BenchRow> rows(String file) throws IOException {
        try {
            return BenchRow.read(Path.of(file));
        } catch (IOException e) {
            throw new IOException(file + ": not a file that ./portcullis bench serve --json wrote", e);
        }
    }

    private static void compare(List<BenchRow> before, List<BenchRow> after, PrintStream out) {
        out.println(BenchRow.header());
        for (var row : after) {
            var earlier = before.stream().filter(row::measuresTheSameAs).findFirst();
            if (earlier.isEmpty()) {
                out.println(row.line("new"));
                continue;
            }
            out.println(earlier.get().line("before"));
            out.println(row.line("after"));
            out.println(row.ratio(earlier.get()));
        }
    }
}
