package io.portcullis.kwctl.output;

import io.portcullis.artifacts.http.DownloadProgress;
import io.portcullis.kwctl.cli.CommandSession;
import java.io.PrintStream;
import java.util.OptionalLong;

/**
 * Draws the progress of a transfer on standard error, only in a terminal. Redraws at most once per percent or megabyte, so
 * that a fast network does not overload a slow terminal.
 */
public final class ProgressBar implements DownloadProgress, AutoCloseable {

    private static final int CELLS = 30;
    private static final long STEP = 1 << 20;

    private final PrintStream stream;
    private final boolean visible;
    private final String subject;
    private long drawn = -1;

    private ProgressBar(PrintStream stream, boolean visible, String subject) {
        this.stream = stream;
        this.visible = visible;
        this.subject = subject;
    }

    /** @param subject the current operation, for example {@code Pulling registry://…} */
    public static ProgressBar of(CommandSession session, String subject) {
        return new ProgressBar(session.err(), session.terminal().errStyled(), subject);
    }

    @Override
    public void transferred(long bytes, OptionalLong total) {
        var step = total.isPresent() && total.getAsLong() > 0 ? bytes * 100 / total.getAsLong() : bytes / STEP;
        if (visible && step != drawn) {
            drawn = step;
            stream.print("\r\u001b[K" + line(subject, bytes, total));
            stream.flush();
        }
    }

    static String line(String subject, long bytes, OptionalLong total) {
        if (total.isEmpty() || total.getAsLong() <= 0) {
            return subject + " " + ByteSize.of(bytes);
        }
        var filled = (int) Math.min(CELLS, bytes * CELLS / total.getAsLong());
        return "%s [%s%s] %s / %s"
                .formatted(
                        subject,
                        "#".repeat(filled),
                        "-".repeat(CELLS - filled),
                        ByteSize.of(bytes),
                        ByteSize.of(total.getAsLong()));
    }

    /** Clears the line of the progress bar. */
    @Override
    public void close() {
        if (visible && drawn >= 0) {
            stream.print("\r\u001b[K");
            stream.flush();
        }
    }
}
