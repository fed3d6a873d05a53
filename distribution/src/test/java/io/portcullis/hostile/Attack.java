package io.portcullis.hostile;

import io.portcullis.testkit.hostile.HostileModules;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One way to hurt a policy server. Each is bounded in connections and time and leaves nothing open. */
record Attack(String name, Act act) {

    /** Attacks for about the given time. */
    @FunctionalInterface
    interface Act {
        void run(LimitedServer server, Duration duration) throws IOException, InterruptedException;
    }

    private static final String HEAD =
            "POST /validate/" + LimitedServer.NEIGHBOUR + " HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
    private static final Duration SETTLE_LIMIT = Duration.ofMinutes(2);
    private static final int PARALLEL_REQUESTS = 8;

    @Override
    public String toString() {
        return name;
    }

    static List<Attack> all() {
        return List.of(
                new Attack("idle connections", connections(1_100, "", "")),
                new Attack("half-sent headers", connections(2_000, HEAD, "X-A: b\r\n")),
                new Attack(
                        "bodies of one byte per second", connections(300, HEAD + "Content-Length: 2000\r\n\r\n{", " ")),
                new Attack(
                        "announced bodies that never come",
                        connections(200, HEAD + "Content-Length: 8388608\r\n\r\n", "")),
                new Attack(
                        "chunked bodies that never end",
                        connections(200, HEAD + "Transfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n")),
                new Attack("HTTP/2 streams without a body", (server, duration) -> http2Streams(server, 500, duration)),
                new Attack("half-open connections to the probe port", Attack::probeConnections),
                new Attack("a flood of requests to a slow policy", (server, duration) -> flood(server, 400, duration)),
                new Attack("bodies of eight megabytes", (server, duration) -> largeBodies(server, 40)),
                module("a name of two gigabytes", HostileModules.hugeName()),
                module("four billion names", HostileModules.manyNames()),
                module("a memory of 256 MiB", HostileModules.largeMemory(4096)),
                module("forty memories", HostileModules.manyMemories(40, 900)),
                module("four hundred small memories", HostileModules.manyMemories(400, 1)),
                module("expensive to compile", HostileModules.expensiveToCompile(1, 1_000_000, 20_000)),
                module("many expensive functions", HostileModules.expensiveToCompile(50, 60_000, 5_000)),
                module("endless logging", HostileModules.endlessLogging()));
    }

    /** Publishes a module, sends requests to it if the server loads it, and withdraws it. */
    private static Attack module(String name, byte[] module) {
        return new Attack("a module: " + name, (server, _) -> {
            server.publish("hostile", module, "");
            try {
                server.awaitSettled("hostile", SETTLE_LIMIT);
                var threads = new ArrayList<Thread>();
                for (int i = 0; i < PARALLEL_REQUESTS; i++) {
                    threads.add(Thread.ofVirtual()
                            .start(() -> tolerant(() -> server.judge("hostile", Reviews.ordinaryPod()))));
                }
                for (var thread : threads) {
                    thread.join();
                }
            } finally {
                server.withdraw("hostile");
            }
        });
    }

    /** Opens connections, sends the same beginning on each, then a little more every second. */
    private static Act connections(int count, String beginning, String everySecond) {
        return (server, duration) -> {
            var sockets = open(server.port(), count, beginning);
            try {
                drip(sockets, everySecond, duration);
            } finally {
                close(sockets);
            }
        };
    }

    private static void probeConnections(LimitedServer server, Duration duration) throws InterruptedException {
        var sockets = open(server.probePort(), 600, "GET /readiness HTTP/1.1\r\n");
        try {
            drip(sockets, "", duration);
        } finally {
            close(sockets);
        }
    }

    private static List<Socket> open(int port, int count, String beginning) {
        var sockets = new ArrayList<Socket>();
        var bytes = beginning.getBytes(StandardCharsets.US_ASCII);
        for (int i = 0; i < count; i++) {
            tolerant(() -> {
                var socket = LimitedServer.connect(port);
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
    private static void http2Streams(LimitedServer server, int streams, Duration duration)
            throws IOException, InterruptedException {
        try (var socket = server.connect()) {
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

    /** Keeps many connections busy with requests to a policy that takes a second each. */
    private static void flood(LimitedServer server, int connections, Duration duration) throws InterruptedException {
        long end = System.nanoTime() + duration.toNanos();
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < connections; i++) {
            threads.add(Thread.ofVirtual().start(() -> {
                while (System.nanoTime() < end) {
                    tolerant(() -> server.judge(LimitedServer.SLOW, Reviews.ordinaryPod()));
                }
            }));
        }
        for (var thread : threads) {
            thread.join();
        }
    }

    private static void largeBodies(LimitedServer server, int count) throws InterruptedException {
        var review = Reviews.withLongKey(7 << 20);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < count; i++) {
            threads.add(Thread.ofVirtual().start(() -> tolerant(() -> server.judge(LimitedServer.NEIGHBOUR, review))));
        }
        for (var thread : threads) {
            thread.join();
        }
    }

    @FunctionalInterface
    private interface Step {
        Object take() throws IOException, InterruptedException;
    }

    /** A server may refuse, cut or delay an attacker as it likes. */
    private static void tolerant(Step step) {
        try {
            step.take();
        } catch (IOException e) {
            // refused or cut: what an attacker should get
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
