package io.portcullis.hostile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;

/**
 * A client that can reach the ports. {@link #main} runs one in a process of its own, so that a benchmark does not measure
 * what the attack costs the client.
 */
record ClientAttack(String name, Act act) implements Attack {

    @FunctionalInterface
    interface Act {
        /** Attacks, and returns how many connections or requests it tried. */
        long run(Ports ports, Duration duration) throws IOException, InterruptedException;
    }

    private static final String HEAD =
            "POST /validate/" + LimitedServer.HOSTILE + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";

    static final List<ClientAttack> ALL = List.of(
            new ClientAttack("idle connections", connections(Ports::api, 1_100, "", "")),
            new ClientAttack("half-sent headers", connections(Ports::api, 2_000, HEAD, "X-A: b\r\n")),
            new ClientAttack(
                    "bodies of one byte per second",
                    connections(Ports::api, 300, HEAD + "Content-Length: 2000\r\n\r\n{", " ")),
            new ClientAttack(
                    "announced bodies that never come",
                    connections(Ports::api, 200, HEAD + "Content-Length: 8388608\r\n\r\n", "")),
            new ClientAttack(
                    "chunked bodies that never end",
                    connections(Ports::api, 200, HEAD + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n")),
            new ClientAttack("HTTP/2 streams without a body", (ports, duration) -> http2Streams(ports, 500, duration)),
            new ClientAttack(
                    "half-open connections to the probe port",
                    connections(Ports::probe, 600, "GET /readiness HTTP/1.1\r\n", "")),
            new ClientAttack(
                    "a flood of requests to a slow policy", flood(400, LimitedServer.SLOW, Reviews.ordinaryPod())),
            new ClientAttack(
                    "a flood of requests to a fast policy", flood(400, LimitedServer.HOSTILE, Reviews.ordinaryPod())),
            new ClientAttack(
                    "a flood of bodies of seven megabytes",
                    flood(40, LimitedServer.HOSTILE, Reviews.withLongKey(7 << 20))));

    /** Runs an attack and prints how often it tried. Arguments: its name, the API port, the probe port, seconds. */
    public static void main(String[] arguments) throws IOException, InterruptedException {
        var attack = ALL.stream()
                .filter(candidate -> candidate.name().equals(arguments[0]))
                .findFirst()
                .orElseThrow();
        var ports = new Ports(Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
        System.out.println(attack.act().run(ports, Duration.ofSeconds(Integer.parseInt(arguments[3]))));
    }

    @Override
    public String toString() {
        return name;
    }

    @Override
    public void run(LimitedServer server, Duration duration) throws IOException, InterruptedException {
        act.run(server.ports(), duration);
    }

    /** Opens connections, sends the same beginning on each, then a little more every second. */
    private static Act connections(ToIntFunction<Ports> port, int count, String beginning, String everySecond) {
        return (ports, duration) -> {
            var sockets = open(port.applyAsInt(ports), count, beginning);
            try {
                drip(sockets, everySecond, duration);
            } finally {
                close(sockets);
            }
            return count;
        };
    }

    private static List<Socket> open(int port, int count, String beginning) {
        var sockets = new ArrayList<Socket>();
        var bytes = beginning.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            tolerant(() -> {
                var socket = Ports.connect(port);
                sockets.add(socket);
                socket.getOutputStream().write(bytes);
                return socket;
            });
        }
        return sockets;
    }

    private static void drip(List<Socket> sockets, String text, Duration duration) throws InterruptedException {
        var bytes = text.getBytes(StandardCharsets.US_ASCII);
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < end) {
            TimeUnit.SECONDS.sleep(1);
            for (var socket : sockets) {
                tolerant(() -> {
                    socket.getOutputStream().write(bytes);
                    return socket;
                });
            }
        }
    }

    private static void close(List<Socket> sockets) {
        for (var socket : sockets) {
            tolerant(() -> {
                socket.close();
                return socket;
            });
        }
    }

    /** One connection, many streams, each announcing eight megabytes and sending one byte. */
    private static long http2Streams(Ports ports, int streams, Duration duration)
            throws IOException, InterruptedException {
        try (var socket = Ports.connect(ports.api())) {
            var out = socket.getOutputStream();
            out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            out.write(frame(4, 0, 0, new byte[0]));
            var headers = new ByteArrayOutputStream();
            header(headers, ":method", "POST");
            header(headers, ":path", "/validate/" + LimitedServer.NEIGHBOUR);
            header(headers, ":scheme", "http");
            header(headers, ":authority", "a");
            header(headers, "content-type", "application/json");
            header(headers, "content-length", "8388608");
            tolerant(() -> {
                for (int i = 0; i < streams; i++) {
                    out.write(frame(1, 4, 2 * i + 1, headers.toByteArray()));
                    out.write(frame(0, 0, 2 * i + 1, new byte[] {'{'}));
                }
                return out;
            });
            TimeUnit.NANOSECONDS.sleep(duration.toNanos());
            return streams;
        }
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .put((byte) (payload.length >> 16))
                .putShort((short) payload.length)
                .put((byte) type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    private static void header(ByteArrayOutputStream out, String name, String value) {
        out.write(0);
        for (var text : List.of(name, value)) {
            out.write(text.length());
            out.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Keeps connections busy with requests to one policy; each asks again as soon as it is answered or refused. */
    private static Act flood(int connections, String policy, String review) {
        return (ports, duration) -> {
            long end = System.nanoTime() + duration.toNanos();
            var requests = new AtomicLong();
            var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ports.api() + "/validate/" + policy))
                    .header("Content-Type", "application/json")
                    .timeout(Duration.ofSeconds(20))
                    .POST(BodyPublishers.ofByteArray(review.getBytes(StandardCharsets.UTF_8)))
                    .build();
            try (var http =
                    HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
                var threads = new ArrayList<Thread>();
                for (int i = 0; i < connections; i++) {
                    threads.add(Thread.ofVirtual().start(() -> {
                        while (System.nanoTime() < end) {
                            requests.incrementAndGet();
                            tolerant(() -> http.send(request, BodyHandlers.discarding()));
                        }
                    }));
                }
                for (var thread : threads) {
                    thread.join();
                }
            }
            return requests.get();
        };
    }

    @FunctionalInterface
    interface Step {
        Object take() throws IOException, InterruptedException;
    }

    /** A server may refuse, cut or delay an attacker as it likes. */
    static void tolerant(Step step) {
        try {
            step.take();
        } catch (IOException e) {
            // refused or cut: what an attacker should get
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
