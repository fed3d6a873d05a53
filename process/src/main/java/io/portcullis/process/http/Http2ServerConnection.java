package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.SocketWriterException;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.spi.ServerConnection;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Set;

/** Helidon's connection, known as open while it is handled. */
final class Http2ServerConnection implements ServerConnection, InterruptableTask<Void> {

    /** GOAWAY of 8 bytes on stream 0: no stream is refused (the highest number), there is no error. */
    private static final byte[] GOODBYE =
            HexFormat.of().parseHex("000008" + "07" + "00" + "00000000" + "7fffffff" + "00000000");

    private final ServerConnection helidon;
    private final FrameWriter writer;
    private final Set<Http2ServerConnection> open;

    Http2ServerConnection(ServerConnection helidon, FrameWriter writer, Set<Http2ServerConnection> open) {
        this.helidon = helidon;
        this.writer = writer;
        this.open = open;
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
        open.add(this);
        try {
            helidon.handle(limit);
        } finally {
            open.remove(this);
        }
    }

    void sayGoodbye() {
        try {
            writer.writeNow(BufferData.create(GOODBYE));
        } catch (UncheckedIOException | SocketWriterException e) {
            // it is gone already
        }
    }

    @Override
    public Duration idleTime() {
        return helidon.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
        helidon.close(interrupt);
    }

    /** Whether no request is under way. */
    @Override
    public boolean canInterrupt() {
        return helidon instanceof InterruptableTask<?> task && task.canInterrupt();
    }
}
