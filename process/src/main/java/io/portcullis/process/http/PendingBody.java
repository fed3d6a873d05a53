package io.portcullis.process.http;

import io.portcullis.process.http.ConnectionState.Cut;
import org.jspecify.annotations.Nullable;

/** A request body that a client is sending. The reader begins and finishes it; {@link Connections} ends it when the client takes too long. */
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

    /** When its headers were complete, as {@link ConnectionState#now} counts. */
    long since() {
        return since;
    }

    /** Wakes the reader, which then answers why. Does nothing when the body is complete. */
    synchronized void cut(Cut cause) {
        if (isFinished || cut != null) {
            return;
        }
        cut = cause;
        if (connection.isHttp2()) {
            reader.interrupt(); // it waits for a frame of its stream, not for the socket
        } else {
            connection.cut(cause);
        }
    }

    /** Why the client was cut off; null when it was not. */
    synchronized @Nullable Cut cut() {
        return cut;
    }

    @Override
    public void close() {
        synchronized (this) {
            isFinished = true;
            if (cut != null && connection.isHttp2()) {
                Thread.interrupted(); // the interrupt was for the wait that is over
            }
        }
        connection.finished(this);
    }
}
