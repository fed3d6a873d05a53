package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataWriter;
import java.util.concurrent.locks.ReentrantLock;

/** Lets frames of several threads go out one after another; Helidon's HTTP/2 writes each frame with one call. */
final class FrameWriter implements DataWriter {

    private final ReentrantLock lock = new ReentrantLock();
    private final DataWriter socket;

    FrameWriter(DataWriter socket) {
        this.socket = socket;
    }

    private void inTurn(Runnable write) {
        lock.lock();
        try {
            write.run();
        } finally {
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
