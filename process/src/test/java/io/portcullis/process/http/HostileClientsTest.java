package io.portcullis.process.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.portcullis.process.metrics.Metrics;
import io.portcullis.process.metrics.PrometheusText;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests clients that hold resources or send invalid HTTP. The listener must keep serving all other clients. */
class HostileClientsTest {

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final int MAX_BODY = 100_000;
    private static final int MAX_TOTAL = 400_000;
    private static final String HEAD = "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";

    private final Metrics metrics = new Metrics();
    private final List<Socket> sockets = new ArrayList<>();
    private Optional<Listener> listener = Optional.empty();

    private Listener start(ListenerLimits limits) {
        var bodies = new RequestBodies(MAX_BODY, MAX_TOTAL, metrics);
        var started = new Listener(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                limits,
                Duration.ofSeconds(1),
                (request, response) -> {
                    try (var body = bodies.read(request)) {
                        response.send("got " + body.bytes().length);
                    } catch (HttpProblem problem) {
                        Answers.refuse(request, response, problem);
                    }
                    Answers.closeIfRequested(request, response);
                },
                metrics);
        listener = Optional.of(started);
        return started;
    }

    private static ListenerLimits limits(int connections, Duration headers, Duration body, Duration idle) {
        return new ListenerLimits(connections, 100, 16 << 10, headers, body, idle);
    }

    @AfterEach
    void stop() throws IOException {
        for (var socket : sockets) {
            socket.close();
        }
        listener.ifPresent(each -> each.close(Duration.ZERO));
    }

    private Socket connect(String text) throws IOException {
        var socket = new Socket(
                InetAddress.getLoopbackAddress(), listener.orElseThrow().port());
        sockets.add(socket);
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(text.getBytes(US_ASCII));
        return socket;
    }

    /** Returns all bytes that the server sends until it closes. */
    private static String rest(Socket socket) throws IOException {
        var all = new ByteArrayOutputStream();
        try {
            socket.getInputStream().transferTo(all);
        } catch (java.net.SocketException e) {
            // the server reset the connection after the response
        }
        return all.toString(US_ASCII);
    }

    private String ask(String text) throws IOException {
        return rest(connect(text));
    }

    private String ordinary() throws IOException {
        return ask(HEAD + "Connection: close\r\nContent-Length: 2\r\n\r\n{}");
    }

    private String metrics() {
        return PrometheusText.render(metrics);
    }

    @Test
    void answersSlowHeadersWith408() throws IOException {
        start(limits(100, SHORT, LONG, LONG));

        assertThat(ask(HEAD))
                .startsWith("HTTP/1.1 408 ")
                .contains("request headers not received within 0.3 s (--header-timeout of the server)")
                .containsIgnoringCase("connection: close");
        assertThat(metrics()).contains("kubewarden_connections_cut_total{reason=\"headers_too_slow\"} 1");
    }

    @Test
    void closesASilentConnectionWithoutAResponse() throws IOException {
        start(limits(100, SHORT, LONG, LONG));

        assertThat(ask("")).isEmpty();
        assertThat(ask("PRI * HT")).isEmpty();
        assertThat(ask("PRI * HTTP/2.0\r\n\r\nSM\r\n"))
                .as("settings and GOAWAY of HTTP/2")
                .doesNotContain("HTTP/1.1");
    }

    @Test
    void closesAnIdleConnection() throws IOException {
        start(limits(100, LONG, LONG, SHORT));

        assertThat(ask(HEAD + "Content-Length: 2\r\n\r\n{}"))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("got 2");
        assertThat(metrics()).contains("kubewarden_connections_cut_total{reason=\"idle_too_long\"} 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 50000\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n5\r\n{"})
    void answersSlowBodiesWith408(String body) throws IOException {
        start(limits(100, LONG, SHORT, LONG));

        assertThat(ask(HEAD + body))
                .startsWith("HTTP/1.1 408 ")
                .contains("request body not received within 0.3 s (--body-timeout of the server)");
        assertThat(metrics()).contains("kubewarden_request_body_bytes 0", "kubewarden_request_bodies_pending 0");
    }

    @Test
    void appliesTheBodyTimeoutToUnreadBodies() throws IOException {
        start(limits(100, LONG, SHORT, LONG));

        assertThat(ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 50000\r\n\r\n{"))
                .startsWith("HTTP/1.1 415 ")
                .containsIgnoringCase("connection: close");
    }

    @Test
    void allocatesNoMemoryForAnnouncedBodies() throws IOException {
        start(limits(100, LONG, LONG, LONG));
        for (var i = 0; i < 60; i++) {
            connect(HEAD + "Content-Length: " + MAX_BODY + "\r\n\r\n");
        }
        await().until(() -> metrics().contains("kubewarden_request_bodies_pending 60"));

        assertThat(metrics()).contains("kubewarden_request_body_bytes 0");
        assertThat(ordinary()).startsWith("HTTP/1.1 200 ");
        assertThat(metrics()).contains("kubewarden_request_body_bytes_limit " + MAX_TOTAL);
    }

    @Test
    void rejectsBodiesBeyondTheBudgetWith503AndReleasesTheBudget() throws IOException {
        start(limits(100, LONG, LONG, LONG));
        for (var i = 0; i < 30; i++) {
            connect(HEAD + "Content-Length: 16384\r\n\r\n" + " ".repeat(16383));
        }
        await().until(() -> metrics().contains("kubewarden_request_body_bytes 393216"));

        assertThat(ask(HEAD + "Content-Length: 16384\r\n\r\n" + " ".repeat(16384)))
                .startsWith("HTTP/1.1 503 ")
                .containsIgnoringCase("retry-after: 1")
                .contains("400000 bytes", "--max-total-body-bytes");

        for (var socket : sockets) {
            socket.close();
        }
        await().until(() -> metrics().contains("kubewarden_request_body_bytes 0"));
        assertThat(ordinary()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void readsLargeBodiesInTurnsInsteadOfInParallel() throws IOException {
        start(limits(100, LONG, LONG, LONG));
        var head = HEAD + "Connection: close\r\nContent-Length: " + MAX_BODY + "\r\n\r\n";
        var first = connect(head + " ".repeat(70_000));
        await().until(() -> metrics().contains("kubewarden_request_body_bytes " + 2 * MAX_BODY));
        var second = connect(head + " ".repeat(MAX_BODY));
        await().until(() -> metrics().contains("kubewarden_request_bodies_pending 2"));
        assertThat(metrics()).as("the second waits").contains("kubewarden_request_body_bytes " + 2 * MAX_BODY + "\n");

        first.getOutputStream().write(" ".repeat(30_000).getBytes(US_ASCII));

        assertThat(rest(first)).startsWith("HTTP/1.1 200 ").endsWith("got " + MAX_BODY);
        assertThat(rest(second)).startsWith("HTTP/1.1 200 ").endsWith("got " + MAX_BODY);
    }

    @Test
    void largeBodiesThatWaitDoNotKeepSmallOnesOut() throws IOException {
        start(limits(100, LONG, LONG, LONG));
        for (var i = 0; i < 30; i++) {
            connect(HEAD + "Content-Length: " + MAX_BODY + "\r\n\r\n" + " ".repeat(70_000));
        }

        assertThat(ask(HEAD + "Connection: close\r\nContent-Length: 16000\r\n\r\n" + " ".repeat(16_000)))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void largeBodiesWithoutALengthDoNotKeepSmallOnesOut() throws IOException {
        start(limits(100, LONG, LONG, LONG));
        for (var i = 0; i < 30; i++) {
            connect(HEAD + "Transfer-Encoding: chunked\r\n\r\n10000\r\n" + " ".repeat(65_000));
        }

        assertThat(ask(HEAD + "Connection: close\r\nContent-Length: 16000\r\n\r\n" + " ".repeat(16_000)))
                .startsWith("HTTP/1.1 200 ");
    }

    @Test
    void displacesSlowBodiesThatHoldTheBudget() throws IOException {
        start(limits(100, LONG, LONG, LONG));
        for (var i = 0; i < 24; i++) {
            connect(HEAD + "Content-Length: 16384\r\n\r\n" + " ".repeat(16383));
        }

        await().untilAsserted(() -> assertThat(
                        ask(HEAD + "Connection: close\r\nContent-Length: 16000\r\n\r\n" + " ".repeat(16000)))
                .startsWith("HTTP/1.1 200 "));
        assertThat(metrics()).contains("kubewarden_connections_cut_total{reason=\"displaced\"}");
    }

    @Test
    void admitsClientsDespiteManyIdleConnections() throws IOException {
        start(limits(50, LONG, LONG, LONG));
        for (var i = 0; i < 50; i++) {
            connect("");
        }
        await().until(() -> metrics().contains("kubewarden_connections_open 50"));

        await().untilAsserted(() -> assertThat(ordinary()).startsWith("HTTP/1.1 200 "));
    }

    @Test
    void answersConnectionsBeyondTheLimitWith503WhenAllOthersAreBusy() throws Exception {
        var release = new CountDownLatch(1);
        var started = new Listener(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                limits(2, LONG, LONG, LONG),
                Duration.ofSeconds(1),
                (_, response) -> {
                    release.await();
                    response.send("done");
                },
                metrics);
        listener = Optional.of(started);
        connect("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        var second = connect("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        await().until(() -> metrics().contains("kubewarden_connections_open 2"));

        assertThat(ask("GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
                .startsWith("HTTP/1.1 503 ")
                .containsIgnoringCase("retry-after: 1")
                .contains("2 connections are open already (--max-connections of the server)");
        assertThat(metrics()).contains("kubewarden_connections_refused_total 1");

        release.countDown();
        assertThat(second.getInputStream().read()).isEqualTo('H');
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GARBAGE\r\n\r\n",
                "GET /\r\n\r\n",
                "GET / HTTP/1.1\nHost: x\n\n",
                "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET /%zz HTTP/1.1\r\nHost: x\r\n\r\n",
                "GET / HTTP/1.1\r\nHost x\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                HEAD + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                HEAD + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}}",
                HEAD + "Content-Length: +2\r\n\r\n{}",
                HEAD + "Content-Length: -2\r\n\r\n{}",
                HEAD + "Content-Length: two\r\n\r\n{}",
                HEAD + "Content-Length: 99999999999999999999\r\n\r\n{}",
                HEAD + "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
                HEAD + "Transfer-Encoding: gzip\r\n\r\n0\r\n\r\n",
                HEAD + "Transfer-Encoding: chunked\r\n\r\nx\r\n{}\r\n0\r\n\r\n",
                HEAD + "Transfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\n\r\n",
                HEAD + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
                HEAD + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nX: y\r\n\r\n"
            })
    void badRequestsAreAnsweredWith400AndTheConnectionIsClosed(String text) throws IOException {
        start(limits(100, LONG, LONG, LONG));

        assertThat(ask(text + HEAD + "Content-Length: 2\r\n\r\n{}"))
                .startsWith("HTTP/1.1 400 ")
                .doesNotContain("got 2")
                .doesNotContain("Exception");
        assertThat(ordinary()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void rejectsOversizedBodiesWithAndWithoutContentLength() throws IOException {
        start(limits(100, LONG, LONG, LONG));

        assertThat(ask(HEAD + "Content-Length: 100001\r\n\r\n")).startsWith("HTTP/1.1 413 ");
        assertThat(ask(HEAD + "Transfer-Encoding: chunked\r\n\r\n186A1\r\n" + " ".repeat(100_001)))
                .startsWith("HTTP/1.1 413 ");
        assertThat(ask(HEAD + "Transfer-Encoding: chunked\r\n\r\n186A0\r\n" + " ".repeat(100_000) + "\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 200 ")
                .endsWith("got 100000");
        assertThat(metrics()).contains("kubewarden_request_body_bytes 0");
    }

    @Test
    void reportsThePortThatCannotBeBound() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> new Listener(
                            new InetSocketAddress(InetAddress.getLoopbackAddress(), taken.getLocalPort()),
                            Optional.empty(),
                            ListenerLimits.DEFAULT,
                            LONG,
                            (_, response) -> response.send(),
                            metrics))
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessage(
                            "cannot listen on port " + taken.getLocalPort() + " of 127.0.0.1: Address already in use");
        }
    }

    // --- HTTP/2 ------------------------------------------------------------------------------------------------------

    private static final String POST_JSON = "83" // :method POST
            + "86" // :scheme http
            + "84" // :path /
            + "410178" // :authority x
            + "5f10" + HexFormat.of().formatHex("application/json".getBytes(US_ASCII));

    private static String frame(int type, int flags, int stream, String payload) {
        return "%06x%02x%02x%08x%s".formatted(payload.length() / 2, type, flags, stream, payload);
    }

    private Socket http2() throws IOException {
        var socket = connect("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        send(socket, frame(4, 0, 0, ""));
        return socket;
    }

    private static void send(Socket socket, String hex) throws IOException {
        socket.getOutputStream().write(HexFormat.of().parseHex(hex));
    }

    /** Returns the payloads of DATA frames until the server closes. */
    private static List<String> answers(Socket socket) throws IOException {
        var in = new DataInputStream(socket.getInputStream());
        var answers = new ArrayList<String>();
        try {
            while (true) {
                int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
                int type = in.readUnsignedByte();
                in.skipNBytes(5);
                var payload = in.readNBytes(length);
                if (type == 0 && length > 0) {
                    answers.add(new String(payload, US_ASCII));
                }
            }
        } catch (EOFException | java.net.SocketException e) {
            return answers;
        }
    }

    @Test
    void answersSlowStreamBodiesWith408AndClosesTheConnection() throws IOException {
        // Long enough for all streams to begin on a busy machine, because the first slow one closes the
        // connection.
        start(limits(100, LONG, Duration.ofSeconds(3), LONG));
        var socket = http2();
        for (var i = 0; i < 15; i++) {
            send(socket, frame(1, 4, 2 * i + 1, POST_JSON) + frame(0, 0, 2 * i + 1, "7b"));
        }

        assertThat(answers(socket))
                .hasSize(15)
                .allSatisfy(answer -> assertThat(answer).contains("request body not received within 3.0 s"));
        await().until(() -> metrics().contains("kubewarden_connections_open 0"));
        assertThat(metrics()).contains("kubewarden_request_body_bytes 0", "kubewarden_request_bodies_pending 0");
    }

    @Test
    void closesStreamsWithUnreadBodies() throws IOException {
        start(limits(100, LONG, SHORT, LONG));
        var socket = http2();
        send(socket, frame(1, 4, 1, "838684410178") + frame(0, 0, 1, "7b"));

        assertThat(answers(socket)).singleElement().asString().contains("Content-Type");
        await().until(() -> metrics().contains("kubewarden_connections_open 0"));
    }

    @Test
    void closesAnIdleHttp2ConnectionDespiteControlFrames() throws IOException {
        start(limits(100, LONG, LONG, SHORT));
        var socket = http2();
        send(socket, frame(1, 4, 1, POST_JSON) + frame(0, 1, 1, "7b7d"));
        send(socket, frame(6, 0, 0, "0102030405060708"));

        assertThat(answers(socket)).containsExactly("got 2");
    }

    @Test
    void closesOnlyTheConnectionWithTooManyStreams() throws IOException {
        start(new ListenerLimits(100, 5, 16 << 10, LONG, LONG, LONG));
        var socket = http2();
        for (var i = 0; i < 6; i++) {
            send(socket, frame(1, 4, 2 * i + 1, POST_JSON));
        }

        assertThat(answers(socket)).isEmpty();
        assertThat(ordinary()).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void receivesLargeBodiesThroughTheSmallWindow() throws Exception {
        start(limits(100, LONG, LONG, LONG));
        try (var client = java.net.http.HttpClient.newBuilder().build()) {
            var answer = client.send(
                    java.net.http.HttpRequest.newBuilder(java.net.URI.create(
                                    "http://127.0.0.1:" + listener.orElseThrow().port() + "/"))
                            .header("Content-Type", "application/json")
                            .POST(java.net.http.HttpRequest.BodyPublishers.ofByteArray(new byte[MAX_BODY]))
                            .build(),
                    java.net.http.HttpResponse.BodyHandlers.ofString());
            assertThat(answer.body()).isEqualTo("got " + MAX_BODY);
        }
    }
}
