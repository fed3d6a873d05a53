package io.portcullis.process.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.helidon.webserver.http.Handler;
import io.portcullis.process.metrics.Metrics;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests how a listener closes, with clients that check every byte. */
class ListenerTest {

    private static final Duration GRACE = Duration.ofSeconds(20);
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int GOAWAY = 7;
    private static final String GOODBYE = "7fffffff" + "00000000";

    private static final Handler HELLO = (_, response) -> response.send("hello");

    private static Listener listener(Handler handler) {
        return new Listener(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                ListenerLimits.DEFAULT,
                GRACE,
                handler,
                new Metrics());
    }

    private record Frame(int type, String payload) {}

    /** An HTTP/2 client with prior knowledge that sends single frames. */
    private record Client(Socket socket, DataInputStream in) implements AutoCloseable {

        static Client of(Listener listener) throws IOException {
            var socket = new Socket(InetAddress.getLoopbackAddress(), listener.port());
            socket.setSoTimeout((int) GRACE.toMillis());
            var client = new Client(socket, new DataInputStream(socket.getInputStream()));
            client.out().write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(US_ASCII));
            client.send("000000" + "04" + "00" + "00000000");
            return client;
        }

        private OutputStream out() throws IOException {
            return socket.getOutputStream();
        }

        private void send(String hex) throws IOException {
            out().write(HexFormat.of().parseHex(hex));
            out().flush();
        }

        /** Sends GET / with fields from HPACK's static table; ends headers and stream. */
        void ask(int stream) throws IOException {
            send("000006" + "01" + "05" + "%08x".formatted(stream) + "828486" + "410178");
        }

        Frame next() throws IOException {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            int type = in.readUnsignedByte();
            in.skipNBytes(5);
            return new Frame(type, HexFormat.of().formatHex(in.readNBytes(length)));
        }

        Frame nextOf(int type) throws IOException {
            var frame = next();
            while (frame.type() != type) {
                frame = next();
            }
            return frame;
        }

        /** Returns all frames until the server closes, without SETTINGS and other connection frames. */
        List<Integer> rest() throws IOException {
            var types = new ArrayList<Integer>();
            try {
                while (true) {
                    int type = next().type();
                    if (type == DATA || type == HEADERS || type == GOAWAY) {
                        types.add(type);
                    }
                }
            } catch (EOFException e) {
                return types;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    @Test
    void sendsGoAwayBeforeItClosesAnIdleConnection() throws Exception {
        var listener = listener(HELLO);
        try (var client = Client.of(listener)) {
            client.ask(1);
            assertThat(client.nextOf(DATA).payload()).isEqualTo(HexFormat.of().formatHex("hello".getBytes(US_ASCII)));

            var closing = Thread.ofVirtual().start(listener::close);
            assertThat(client.nextOf(GOAWAY).payload()).isEqualTo(GOODBYE);
            closing.join();
        }
    }

    @Test
    void answersRequestsThatWereSentBeforeGoAway() throws Exception {
        var listener = listener(HELLO);
        try (var client = Client.of(listener)) {
            client.nextOf(SETTINGS);
            var closing = Thread.ofVirtual().start(listener::close);
            client.nextOf(GOAWAY);
            // as if the client had sent it before it read GOAWAY
            client.ask(1);
            assertThat(client.rest()).startsWith(HEADERS, DATA);
            closing.join();
        }
    }

    @Test
    void answersRunningRequestsAfterGoAway() throws Exception {
        var begun = new CountDownLatch(1);
        var released = new CountDownLatch(1);
        var listener = listener((_, response) -> {
            begun.countDown();
            released.await();
            response.send("late");
        });
        try (var client = Client.of(listener)) {
            client.ask(1);
            assertThat(begun.await(GRACE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            var closing = Thread.ofVirtual().start(listener::close);
            assertThat(client.nextOf(GOAWAY).payload()).isEqualTo(GOODBYE);
            released.countDown();
            assertThat(client.rest()).startsWith(HEADERS, DATA);
            closing.join();
        }
    }

    @Test
    void releasesResourcesOfADisconnectedClient() throws Exception {
        var listener = listener(HELLO);
        var client = Client.of(listener);
        client.nextOf(SETTINGS);
        client.close();

        var closing = Thread.ofVirtual().start(listener::close);
        assertThat(closing.join(GRACE)).isTrue();
    }

    @Test
    void asksHttp1ClientsToReconnectOnlyDuringTheDrain() throws Exception {
        try (var listener = listener(HELLO)) {
            assertThat(headersOverHttp11(listener)).doesNotContainIgnoringCase("connection: close");
            listener.leave();
            assertThat(headersOverHttp11(listener)).containsIgnoringCase("connection: close");
        }
    }

    private static String headersOverHttp11(Listener listener) throws IOException {
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), listener.port())) {
            socket.setSoTimeout((int) GRACE.toMillis());
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
            var answer = new StringBuilder();
            while (answer.indexOf("\r\n\r\n") < 0) {
                answer.append((char) socket.getInputStream().read());
            }
            return answer.toString();
        }
    }
}
