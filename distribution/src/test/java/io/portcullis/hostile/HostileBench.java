package io.portcullis.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Measures what a peaceful tenant notices of each {@link Attack}: the 99th percentile of its requests when the server is
 * quiet and during the attack, wrong answers, and the time until readiness answers again. The server has 512 MiB.
 *
 * <p>Options: {@code --seconds N} for each attack (default 10), {@code --only TEXT} for attacks whose name contains a text.
 */
public final class HostileBench {

    private static final int PER_SECOND = 50;
    private static final Duration QUIET = Duration.ofSeconds(10);
    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(60);

    private HostileBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var options = Options.parse(arguments, "--seconds", "--only");
        var duration = Duration.ofSeconds(options.number("--seconds", 10));
        var only = options.text("--only", "");
        var directory = Files.createTempDirectory("hostile-bench");
        boolean failed = false;
        System.out.printf(
                "%-50s %10s %10s %8s %7s %10s %9s%n",
                "attack", "quiet p99", "p99 ms", "ratio", "wrong", "ready s", "peak MiB");
        try (var server = LimitedServer.start(directory)) {
            observe(server, QUIET); // warm-up
            for (var attack : Attack.all()) {
                if (!attack.name().contains(only)) {
                    continue;
                }
                var quiet = observe(server, QUIET);
                var neighbour = Neighbour.start(server, PER_SECOND);
                attack.act().run(server, duration);
                var attacked = neighbour.finish();
                double recovery = awaitReady(server);
                System.out.printf(
                        "%-50s %10.1f %10.1f %8.1f %7d %10.1f %9d%n",
                        attack.name(),
                        quiet.percentile(0.99),
                        attacked.percentile(0.99),
                        attacked.percentile(0.99) / quiet.percentile(0.99),
                        attacked.wrong().size(),
                        recovery,
                        server.peakBytes() >> 20);
                attacked.wrong().stream().distinct().limit(3).forEach(wrong -> System.out.println("    " + wrong));
                failed |= !attacked.wrong().isEmpty() || !server.isAlive();
            }
        }
        System.exit(failed ? 1 : 0);
    }

    private static Neighbour.Experience observe(LimitedServer server, Duration duration) throws InterruptedException {
        var neighbour = Neighbour.start(server, PER_SECOND);
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        return neighbour.finish();
    }

    private static double awaitReady(LimitedServer server) throws InterruptedException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < RECOVERY_LIMIT.toNanos()) {
            try {
                if (server.readiness() == 200) {
                    return (System.nanoTime() - begin) / 1e9;
                }
            } catch (IOException e) {
                // not ready yet
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        return Double.POSITIVE_INFINITY;
    }
}
