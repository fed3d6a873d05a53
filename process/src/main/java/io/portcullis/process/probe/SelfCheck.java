package io.portcullis.process.probe;

import io.portcullis.process.http.HttpConnection;
import io.portcullis.process.http.HttpMessage;
import io.portcullis.process.http.Listener;
import io.portcullis.process.probe.CheckHistory.Result;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks a listener of this process every few seconds over a real connection with TLS, so that probes report what clients experience. First
 * checks the listener alone, then sends a fixed request to its handler. Probes read the last result and never wait.
 */
public final class SelfCheck implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(SelfCheck.class);
    private static final Duration PERIOD = Duration.ofSeconds(2);

    /** The default timeout of a webhook. */
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final int MAX_ANSWER_BYTES = 64 << 10;
    private static final Map<String, List<String>> JSON = Map.of("Content-Type", List.of("application/json"));

    private final Listener listener;
    private final Optional<HttpMessage> review;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile CheckHistory history = CheckHistory.start(System.nanoTime());

    private SelfCheck(Listener listener, Optional<HttpMessage> review) {
        this.listener = listener;
        this.review = review;
    }

    /** Checks only that the listener accepts connections and answers. */
    public static SelfCheck of(Listener listener) {
        return new SelfCheck(listener, Optional.empty()).started();
    }

    /**
     * Also checks that a fixed request is answered with 200.
     *
     * @param body JSON
     */
    public static SelfCheck of(Listener listener, String path, byte[] body) {
        return new SelfCheck(listener, Optional.of(new HttpMessage("POST", uri(path), JSON, body))).started();
    }

    /** Runs the first check before it returns, so that the next probe reports its result. */
    private SelfCheck started() {
        check();
        Thread.ofPlatform().name("self-check-" + listener.port()).daemon().start(this::run);
        return this;
    }

    private static URI uri(String path) {
        return URI.create("http://localhost" + path);
    }

    private void run() {
        try {
            while (!closed.await(PERIOD.toMillis(), TimeUnit.MILLISECONDS)) {
                check();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void check() {
        var before = history;
        var result = request();
        history = before.with(result, System.nanoTime());
        if (result == Result.UNREACHABLE && before.unreachable() == 0) {
            log.atWarn().addKeyValue("port", listener.port()).log("this process cannot reach its own listener");
        }
    }

    /** Sends both requests on one connection. */
    private Result request() {
        var result = Result.UNREACHABLE;
        try (var socket = HttpConnection.socket()) {
            var address = listener.localAddress();
            socket.bind(new InetSocketAddress(address.getAddress(), 0));
            var own = socket.getLocalSocketAddress();
            listener.allowSelfCheck(own);
            try (var connection = HttpConnection.open(socket, address, listener.tlsForSelfCheck(), LIMIT)) {
                var hello = new HttpMessage("GET", uri(Listener.SELF_CHECK), Map.of(), new byte[0]);
                if (!isOk(connection, hello)) {
                    return Result.UNREACHABLE;
                }
                result = Result.NOT_SERVING;
                return review.isEmpty() || isOk(connection, review.get()) ? Result.SERVING : Result.NOT_SERVING;
            } finally {
                listener.endSelfCheck(own);
            }
        } catch (IOException | RuntimeException e) {
            log.atDebug()
                    .addKeyValue("port", listener.port())
                    .addKeyValue("error", e.toString())
                    .log("self-check failed");
            return result;
        }
    }

    private static boolean isOk(HttpConnection connection, HttpMessage message) throws IOException {
        return connection.exchange(message, MAX_ANSWER_BYTES, LIMIT).status() == 200;
    }

    /** Whether a recent check found that the listener serves. */
    public boolean isReady() {
        return history.isReady(System.nanoTime());
    }

    /** Whether the listener can be reached, or could be recently. */
    public boolean isAlive() {
        return history.isAlive(System.nanoTime());
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
