package io.portcullis.audit.scan;

import java.io.PrintStream;

/**
 * Progress bar on a terminal, based on the remaining counts that lists report. Redraws once per percent, so that a
 * fast scan does not flood a slow terminal. Thread-safe.
 */
public final class ScanProgress implements AutoCloseable {

    private static final int CELLS = 30;

    private final PrintStream stream;
    private final boolean visible;
    private long found;
    private long following;
    private long done;
    private long drawn = -1;

    public ScanProgress(PrintStream stream, boolean visible) {
        this.stream = stream;
        this.visible = visible;
    }

    synchronized void found() {
        found++;
    }

    /** @param more change in the number of objects that are expected to follow; may be negative */
    synchronized void following(long more) {
        following += more;
    }

    synchronized void evaluated() {
        done++;
        var total = found + following;
        var step = total == 0 ? 0 : done * 100 / total;
        if (visible && step != drawn) {
            drawn = step;
            stream.print("\r\u001b[K" + line(done, total));
            stream.flush();
        }
    }

    static String line(long done, long total) {
        var filled = total == 0 ? 0 : (int) Math.min(CELLS, done * CELLS / total);
        return "Auditing [%s%s] %d / %d objects".formatted("#".repeat(filled), "-".repeat(CELLS - filled), done, total);
    }

    /** Clears the line of the bar. */
    @Override
    public synchronized void close() {
        if (visible && drawn >= 0) {
            stream.print("\r\u001b[K");
            stream.flush();
        }
    }
}
