package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Writes the frames of several threads one after another, and records since when a write waits for the client. Helidon's HTTP/2 writes
 * each frame with one call.
 */
final class FrameWriter implements DataWriter {

    private final ReentrantLock lock = new ReentrantLock();
    private final DataWriter socket;
    private volatile long writingSince;

    FrameWriter(DataWriter socket) {
        this.socket = socket;
    }

    /** When the write under way began, as {@link ConnectionState#now} counts; 0 when there is none. */
    long writingSince() {
        return writingSince;
    }

    private void inTurn(Runnable write) {
        lock.lock();
        try {
            writingSince = ConnectionState.now();
            write.run();
        } finally {
            writingSince = 0;
            lock.unlock();
        }
    }

    @Override
    public void write(BufferData... buffers) {
        inTurn(() -> socket.write(buffers));
    }

    @Override
    public void write(BufferData buffer) {
        inTurn(() -> socket.write(buffer));
    }

    @Override
    public void writeNow(BufferData... buffers) {
        inTurn(() -> socket.writeNow(buffers));
    }

    @Override
    public void writeNow(BufferData buffer) {
        inTurn(() -> socket.writeNow(buffer));
    }

    @Override
    public void flush() {
        inTurn(socket::flush);
    }

    @Override
    public void close() {
        socket.close();
    }
}
