package io.portcullis.process.http;

import io.helidon.common.buffers.BufferData;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http2.Http2Config;
import io.helidon.webserver.http2.Http2ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The open HTTP/2 connections of a listener, so that they can be told that it ends. Helidon closes a connection that is
 * idle without a word; a request that was on its way to it would be lost, and API servers keep connections for hours.
 */
final class Http2Connections implements ServerConnectionSelector {

    /** After so long nothing can be on its way any more from a client that has not read its goodbye; Go's server waits as long. */
    private static final Duration ON_THE_WAY = Duration.ofSeconds(1);

    private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

    private final ServerConnectionSelector helidon =
            Http2ConnectionSelector.builder().http2Config(Http2Config.create()).build();
    private final Set<Http2ServerConnection> open = ConcurrentHashMap.newKeySet();

    @Override
    public int bytesToIdentifyConnection() {
        return helidon.bytesToIdentifyConnection();
    }

    @Override
    public Support supports(BufferData data) {
        return helidon.supports(data);
    }

    @Override
    public Set<String> supportedApplicationProtocols() {
        return helidon.supportedApplicationProtocols();
    }

    @Override
    public ServerConnection connection(ConnectionContext context) {
        var writer = new FrameWriter(context.dataWriter());
        return new Http2ServerConnection(helidon.connection(new FramedContext(context, writer)), writer, open);
    }

    /** Asks clients to send no more on these connections, and waits until what they had sent is answered. */
    void sayGoodbye(Duration limit) throws InterruptedException {
        open.forEach(Http2ServerConnection::sayGoodbye);
        var begin = System.nanoTime();
        while (!open.isEmpty() && !isOver(limit, begin) && !(isOver(ON_THE_WAY, begin) && allAreIdle())) {
            Thread.sleep(LOOK_AGAIN);
        }
    }

    private boolean allAreIdle() {
        return open.stream().allMatch(Http2ServerConnection::canInterrupt);
    }

    private static boolean isOver(Duration time, long begin) {
        return System.nanoTime() - begin >= time.toNanos();
    }
}
