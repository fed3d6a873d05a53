package io.portcullis.hostile;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Measures what a peaceful tenant notices of each {@link Attack}: the 99th percentile of its requests during the attack, as
 * a multiple of that of a quiet server, wrong answers, the slowest readiness probe, and the time from the end of the attack
 * until the server is ready and answers. The server has 512 MiB. Clients that attack run in a process of their own with the
 * lowest priority, so that the server is measured and not the attacker's need for CPU.
 *
 * <p>Options: {@code --seconds N} for each attack (default 10), {@code --only TEXT} for attacks whose name contains a text.
 */
public final class HostileBench {

    private static final int PER_SECOND = 50;
    private static final Duration WARM_UP = Duration.ofSeconds(30);
    private static final Duration QUIET = Duration.ofSeconds(30);
    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(60);

    private HostileBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var options = Options.parse(arguments, "--seconds", "--only");
        var duration = Duration.ofSeconds(options.number("--seconds", 10));
        var only = options.text("--only", "");
        var directory = Files.createTempDirectory("hostile-bench");
        boolean failed = false;
        try (var server = LimitedServer.start(directory)) {
            observe(server, WARM_UP, 4 * PER_SECOND);
            double quiet = observe(server, QUIET, PER_SECOND).percentile(0.99);
            System.out.printf("p99 of a quiet server: %.1f ms%n", quiet);
            System.out.printf(
                    "%-45s %8s %8s %7s %6s %13s %10s %9s%n",
                    "attack", "tried", "p99 ms", "ratio", "wrong", "slowest probe", "recovery s", "peak MiB");
            for (var attack : Attack.all()) {
                if (!attack.name().contains(only)) {
                    continue;
                }
                var neighbour = Neighbour.start(server, PER_SECOND);
                double slowest;
                long tried;
                try (var readiness = ReadinessWatch.start(server)) {
                    tried = run(attack, server, duration, directory);
                    slowest = readiness.failures() > 0 ? Double.POSITIVE_INFINITY : readiness.slowestSeconds();
                }
                double recovery = awaitRecovery(server);
                var attacked = neighbour.finish();
                System.out.printf(
                        "%-45s %8d %8.1f %7.1f %6d %13.2f %10.1f %9d%n",
                        attack.name(),
                        tried,
                        attacked.percentile(0.99),
                        attacked.percentile(0.99) / quiet,
                        attacked.wrong().size(),
                        slowest,
                        recovery,
                        server.peakBytes() >> 20);
                attacked.wrong().stream().distinct().limit(3).forEach(wrong -> System.out.println("    " + wrong));
                failed |= !attacked.wrong().isEmpty() || !server.isAlive();
            }
            System.out.printf(
                    "p99 of the quiet server afterwards: %.1f ms%n",
                    observe(server, QUIET, PER_SECOND).percentile(0.99));
        }
        System.exit(failed ? 1 : 0);
    }

    /** Returns how many connections or requests the attack tried. */
    private static long run(Attack attack, LimitedServer server, Duration duration, Path directory)
            throws IOException, InterruptedException {
        switch (attack) {
            case ClientAttack client -> {
                var ports = server.ports();
                var process = new ProcessBuilder(List.of(
                                "nice",
                                "-n19",
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:+UseSerialGC",
                                "-cp",
                                System.getProperty("java.class.path"),
                                ClientAttack.class.getName(),
                                client.name(),
                                String.valueOf(ports.api()),
                                String.valueOf(ports.probe()),
                                String.valueOf(duration.toSeconds())))
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("attack.log").toFile())
                        .start();
                int exitCode = process.waitFor();
                var printed = Files.readString(directory.resolve("attack.log"));
                if (exitCode != 0) {
                    throw new IOException(printed);
                }
                return Long.parseLong(printed.strip());
            }
            case ModuleAttack module -> {
                module.run(server, duration);
                return 1;
            }
        }
    }

    private static Neighbour.Experience observe(LimitedServer server, Duration duration, int perSecond)
            throws InterruptedException {
        var neighbour = Neighbour.start(server, perSecond);
        TimeUnit.NANOSECONDS.sleep(duration.toNanos());
        return neighbour.finish();
    }

    /** Seconds until the server is ready and answers a request. */
    private static double awaitRecovery(LimitedServer server) throws InterruptedException {
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < RECOVERY_LIMIT.toNanos()) {
            try {
                if (server.readiness() == 200
                        && server.judge(LimitedServer.NEIGHBOUR, Reviews.ordinaryPod())
                                        .statusCode()
                                == 200) {
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
