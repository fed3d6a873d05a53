package io.portcullis.process.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.portcullis.process.http.ConnectionPool.Limits;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final AtomicLong now = new AtomicLong();
    private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<HttpConnection> opened = Collections.synchronizedList(new ArrayList<>());
    private final List<HttpConnection> used = Collections.synchronizedList(new ArrayList<>());
    private final List<Socket> accepted = Collections.synchronizedList(new ArrayList<>());
    private volatile String answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

    ConnectionPoolTest() throws IOException {
        Thread.ofVirtual().start(() -> {
            while (!server.isClosed()) {
                try {
                    var socket = server.accept();
                    accepted.add(socket);
                    Thread.ofVirtual().start(() -> serve(socket));
                } catch (IOException _) {
                    return; // the test has ended
                }
            }
        });
    }

    private void serve(Socket socket) {
        try {
            var in = socket.getInputStream();
            var lineEnds = 0;
            for (var next = in.read(); next >= 0; next = in.read()) {
                lineEnds = next == '\n' ? lineEnds + 1 : next == '\r' ? lineEnds : 0;
                if (lineEnds == 2) {
                    socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
                }
            }
        } catch (IOException _) {
            // the test has closed the connection
        }
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        for (var socket : List.copyOf(accepted)) {
            socket.close();
        }
    }

    private ConnectionPool<String> pool(Limits limits) {
        return new ConnectionPool<>(limits, now::get);
    }

    private HttpConnection open() throws IOException {
        var connection = HttpConnection.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()), Optional.empty(), LONG);
        opened.add(connection);
        return connection;
    }

    private HttpAnswer send(HttpConnection connection) throws IOException {
        used.add(connection);
        return connection.exchange(
                new HttpMessage("GET", URI.create("http://peer/"), Map.of(), new byte[0]), 1024, LONG);
    }

    private void exchange(ConnectionPool<String> pool, String peer) throws IOException {
        assertThat(pool.exchange(peer, this::open, this::send).status()).isEqualTo(200);
    }

    @Test
    void reusesAConnectionForTheSamePeerOnly() throws IOException {
        try (var pool = pool(Limits.ofIdleTime(4, SECOND))) {
            exchange(pool, "a");
            exchange(pool, "a");
            assertThat(opened).hasSize(1);

            exchange(pool, "b");
            assertThat(opened).hasSize(2);
        }
    }

    @Test
    void closesConnectionsThatWereIdleForTooLong() throws IOException {
        try (var pool = pool(Limits.ofIdleTime(4, SECOND))) {
            exchange(pool, "a");
            now.addAndGet(SECOND.toNanos() - 1);
            exchange(pool, "a");
            now.addAndGet(SECOND.toNanos() - 1);
            exchange(pool, "a");
            assertThat(opened).as("each use keeps it").hasSize(1);

            now.addAndGet(SECOND.toNanos());
            exchange(pool, "b");
            assertIsClosed(opened.getFirst());
        }
    }

    @Test
    void closesConnectionsThatAreTooOld() throws IOException {
        try (var pool = pool(Limits.ofAge(4, SECOND))) {
            exchange(pool, "a");
            now.addAndGet(SECOND.toNanos() - 1);
            exchange(pool, "a");
            assertThat(opened).hasSize(1);

            now.addAndGet(1);
            exchange(pool, "a");
            assertThat(opened).hasSize(2);
            assertIsClosed(opened.getFirst());
        }
    }

    @Test
    void keepsTheNewestConnectionsOfAPeer() throws IOException {
        try (var pool = pool(Limits.ofIdleTime(1, SECOND))) {
            exchange(pool, "a");
            pool.exchangeOverNew("a", this::open, this::send);
            assertThat(opened).hasSize(2);
            assertIsClosed(opened.getFirst());

            exchange(pool, "a");
            assertThat(used.getLast()).isSameAs(opened.getLast());
            assertThat(opened).hasSize(2);
        }
    }

    @Test
    void retriesOnANewConnectionWhenAnIdleOneFails() throws IOException {
        try (var pool = pool(Limits.ofIdleTime(4, SECOND))) {
            exchange(pool, "a");
            opened.getFirst().abort();

            exchange(pool, "a");
            assertThat(opened).hasSize(2);
        }
    }

    @Test
    void doesNotRetryWhenANewConnectionFails() {
        try (var pool = pool(Limits.ofIdleTime(4, SECOND))) {
            assertThatThrownBy(() -> pool.exchange("a", this::open, connection -> {
                        used.add(connection);
                        throw new IOException("broken");
                    }))
                    .hasMessage("broken");
            assertThat(used).hasSize(1);
            assertIsClosed(opened.getFirst());
        }
    }

    @Test
    void doesNotRetryAfterATimeout() throws IOException {
        try (var pool = pool(Limits.ofIdleTime(4, SECOND))) {
            exchange(pool, "a");
            assertThatThrownBy(() -> pool.exchange("a", this::open, _ -> {
                        throw new SocketTimeoutException("late");
                    }))
                    .hasMessage("late");
            assertThat(opened).hasSize(1);
            assertIsClosed(opened.getFirst());
        }
    }

    @Test
    void doesNotReuseAConnectionThatTheServerEnds() throws IOException {
        answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        try (var pool = pool(Limits.ofIdleTime(4, SECOND))) {
            exchange(pool, "a");
            exchange(pool, "a");
            assertThat(opened).hasSize(2);
        }
    }

    @Test
    void keepsNoConnectionAfterItWasClosed() throws IOException {
        var pool = pool(Limits.ofIdleTime(4, SECOND));
        exchange(pool, "a");
        pool.close();
        assertIsClosed(opened.getFirst());

        exchange(pool, "a");
        assertIsClosed(opened.getLast());
    }

    private void assertIsClosed(HttpConnection connection) {
        assertThatThrownBy(() -> send(connection)).isInstanceOf(IOException.class);
    }
}
