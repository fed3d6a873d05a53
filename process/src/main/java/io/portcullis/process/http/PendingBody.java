package io.portcullis.process.http;

import io.portcullis.process.http.ConnectionState.Cut;
import org.jspecify.annotations.Nullable;

/** A request body that a client is sending. The reading thread opens and closes it; {@link Connections} cuts it when the client takes too long. */
final class PendingBody implements AutoCloseable {

    private final ClientConnection connection;
    private final Thread reader = Thread.currentThread();
    private final long since = ConnectionState.now();

    // Guarded by this.
    private boolean isFinished;
    private @Nullable Cut cut;

    PendingBody(ClientConnection connection) {
        this.connection = connection;
    }

    /** Returns when the headers were complete, on the clock of {@link ConnectionState#now}. */
    long since() {
        return since;
    }

    /** Wakes the reader, which then sends the error for this cause. Does nothing when the body is complete. */
    synchronized void cut(Cut cause) {
        if (isFinished || cut != null) {
            return;
        }
        cut = cause;
        if (connection.isHttp2()) {
            reader.interrupt(); // the reader waits for a frame of its stream, not for the socket
        } else {
            connection.cut(cause);
        }
    }

    /** Returns why the body was cut; null when it was not. */
    synchronized @Nullable Cut cut() {
        return cut;
    }

    @Override
    public void close() {
        synchronized (this) {
            isFinished = true;
            if (cut != null && connection.isHttp2()) {
                Thread.interrupted(); // clears the interrupt of cut(): the wait is over
            }
        }
        connection.finished(this);
    }
}
