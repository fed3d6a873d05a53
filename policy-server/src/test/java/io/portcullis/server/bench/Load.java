package io.portcullis.server.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Sends the same request on a number of connections, one thread for each. Checks the status of every answer. */
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

    private final BenchTarget target;
    private final String path;
    private final byte[] body;

    Load(BenchTarget target, String path, byte[] body) {
        this.target = target;
        this.path = path;
        this.body = body;
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
                try (var connection = LoadConnection.open(target.uri(), path, body, target.tls())) {
                    drive(connection, latencies, next, end);
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

    private static void drive(LoadConnection connection, long[] latencies, AtomicInteger next, long end)
            throws IOException {
        while (System.nanoTime() < end) {
            var index = next.getAndIncrement();
            if (index >= latencies.length) {
                return;
            }
            var sent = System.nanoTime();
            connection.send();
            latencies[index] = System.nanoTime() - sent;
        }
    }
}
