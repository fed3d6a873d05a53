package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Serialises the frames that several threads write, and records since when a write waits for the client. Helidon's HTTP/2 writes each
 * frame with one call.
 */
final class FrameWriter implements DataWriter {

    private final ReentrantLock lock = new ReentrantLock();
    private final DataWriter socket;
    private volatile long writingSince;

    FrameWriter(DataWriter socket) {
        this.socket = socket;
    }

    /** Returns the start of the running write on the clock of {@link ConnectionState#now}; 0 when no write runs. */
    long writingSince() {
        return writingSince;
    }

    private void serialise(Runnable write) {
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
        serialise(() -> socket.write(buffers));
    }

    @Override
    public void write(BufferData buffer) {
        serialise(() -> socket.write(buffer));
    }

    @Override
    public void writeNow(BufferData... buffers) {
        serialise(() -> socket.writeNow(buffers));
    }

    @Override
    public void writeNow(BufferData buffer) {
        serialise(() -> socket.writeNow(buffer));
    }

    @Override
    public void flush() {
        serialise(socket::flush);
    }

    @Override
    public void close() {
        socket.close();
    }
}
