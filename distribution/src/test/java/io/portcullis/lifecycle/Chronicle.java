package io.portcullis.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** What was done and what was seen, in order, with seconds since the beginning. Thread-safe. */
final class Chronicle {

    private final long begin = System.nanoTime();
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();

    void add(String line) {
        lines.add(String.format(Locale.ROOT, "%7.2f  %s", (System.nanoTime() - begin) / 1e9, line));
    }

    List<String> last(int count) {
        var all = List.copyOf(lines);
        return all.subList(Math.max(0, all.size() - count), all.size());
    }

    Path write(Path file) {
        try {
            return Files.write(file, lines);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
