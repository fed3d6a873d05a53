package io.portcullis.server.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Sends the same request on a number of connections. Uses raw sockets, so that the load generator needs little CPU. Checks
 * the status of every answer.
 */
final class Load {

    /** Latencies in nanoseconds, sorted. */
    record Result(long[] latencies, Duration elapsed) {

        double requestsPerSecond() {
            return latencies.length / (elapsed.toNanos() / 1e9);
        }

        double percentileMillis(double share) {
            return latencies.length == 0
                    ? Double.NaN
                    : latencies[(int) Math.min(latencies.length - 1, (long) (latencies.length * share))] / 1e6;
        }
    }

    private final URI server;
    private final byte[] request;

    Load(URI server, String path, byte[] body) {
        this.server = server;
        var head = "POST " + path + " HTTP/1.1\r\nHost: " + server.getAuthority()
                + "\r\nContent-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n";
        var bytes = head.getBytes(StandardCharsets.US_ASCII);
        this.request = Arrays.copyOf(bytes, bytes.length + body.length);
        System.arraycopy(body, 0, request, bytes.length, body.length);
    }

    /** Ends after {@code count} requests or after the time limit, whichever comes first. */
    Result run(int connections, int count, Duration limit) throws IOException, InterruptedException {
        var latencies = new long[count];
        var next = new AtomicInteger();
        var failure = new AtomicReference<@Nullable IOException>();
        var start = System.nanoTime();
        var end = start + limit.toNanos();
        var threads = new Thread[connections];
        for (var i = 0; i < connections; i++) {
            threads[i] = Thread.ofPlatform().start(() -> {
                try (var socket = new Socket(server.getHost(), server.getPort())) {
                    socket.setTcpNoDelay(true);
                    drive(socket, latencies, next, end);
                } catch (IOException e) {
                    failure.compareAndSet(null, e);
                }
            });
        }
        for (var thread : threads) {
            thread.join();
        }
        var broken = failure.get();
        if (broken != null) {
            throw broken;
        }
        var done = Math.min(next.get(), count);
        var sorted = Arrays.stream(latencies, 0, done)
                .filter(nanos -> nanos > 0)
                .sorted()
                .toArray();
        return new Result(sorted, Duration.ofNanos(System.nanoTime() - start));
    }

    private void drive(Socket socket, long[] latencies, AtomicInteger next, long end) throws IOException {
        var out = socket.getOutputStream();
        var in = socket.getInputStream();
        var buffer = new byte[16 << 10];
        while (System.nanoTime() < end) {
            var index = next.getAndIncrement();
            if (index >= latencies.length) {
                return;
            }
            var sent = System.nanoTime();
            out.write(request);
            readAnswer(in, buffer);
            latencies[index] = System.nanoTime() - sent;
        }
    }

    private static void readAnswer(InputStream in, byte[] buffer) throws IOException {
        var filled = 0;
        var end = -1;
        while (end < 0 || filled < end) {
            var read = in.read(buffer, filled, buffer.length - filled);
            if (read < 0) {
                throw new IOException("the server closed the connection");
            }
            filled += read;
            if (end < 0) {
                end = endOfAnswer(buffer, filled);
            }
        }
    }

    /** -1 while the head is incomplete. */
    private static int endOfAnswer(byte[] buffer, int filled) throws IOException {
        for (var i = 3; i < filled; i++) {
            if (buffer[i] == '\n' && buffer[i - 1] == '\r' && buffer[i - 2] == '\n') {
                var head = new String(buffer, 0, i + 1, StandardCharsets.US_ASCII);
                if (!head.startsWith("HTTP/1.1 200")) {
                    throw new IOException("not 200: " + head.lines().findFirst().orElse(""));
                }
                var length = head.toLowerCase(java.util.Locale.ROOT).indexOf("content-length:") + 15;
                return i
                        + 1
                        + Integer.parseInt(head.substring(length, head.indexOf('\r', length))
                                .strip());
            }
        }
        return -1;
    }
}
