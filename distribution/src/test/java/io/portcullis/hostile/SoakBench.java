package io.portcullis.hostile;

import io.portcullis.testkit.hostile.HostileModules;
import io.portcullis.testkit.program.ShellCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs a policy server with 512 MiB for a long time under everything at once: steady requests, changing policies, policies
 * that cannot be loaded, new connections, half-sent requests. Samples live heap (after a collection), resident memory, open
 * files, connections and threads, and fails if one of them grows from the second to the last quarter of the run.
 *
 * <p>Option: {@code --minutes N} (default 10).
 */
public final class SoakBench {

    private static final int PER_SECOND = 50;
    private static final int SAMPLES = 20;
    private static final Pattern HEAP_USED = Pattern.compile("used (\\d+)K");

    /** How much more than before is still flat: a share, and an amount that noise may add. */
    private enum Measure {
        HEAP("live heap MiB", 0.10, 8),
        RESIDENT("RSS MiB", 0.10, 24),
        FILES("files", 0.10, 16),
        CONNECTIONS("connections", 0.10, 16),
        THREADS("threads", 0.10, 8);

        private final String title;
        private final double share;
        private final long amount;

        Measure(String title, double share, long amount) {
            this.title = title;
            this.share = share;
            this.amount = amount;
        }

        boolean isFlat(double before, double after) {
            return after <= before * (1 + share) || after <= before + amount;
        }
    }

    private record Sample(Map<Measure, Long> values) {

        static Sample of(long pid) throws IOException {
            var process = Path.of("/proc", Long.toString(pid));
            var isSocket = descriptors(process);
            return new Sample(Map.of(
                    Measure.HEAP,
                    liveHeap(pid) >> 10,
                    Measure.RESIDENT,
                    status(process, "VmRSS:") >> 10,
                    Measure.FILES,
                    isSocket.get(false),
                    Measure.CONNECTIONS,
                    isSocket.get(true),
                    Measure.THREADS,
                    status(process, "Threads:")));
        }

        /** How many descriptors are sockets, and how many are not. */
        private static Map<Boolean, Long> descriptors(Path process) throws IOException {
            try (var files = Files.list(process.resolve("fd"))) {
                return files.collect(Collectors.partitioningBy(Sample::isSocket, Collectors.counting()));
            }
        }

        private static boolean isSocket(Path descriptor) {
            try {
                return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
            } catch (IOException e) {
                return true; // closed meanwhile, as connections often are
            }
        }

        long of(Measure measure) {
            return Objects.requireNonNull(values.get(measure));
        }

        private static long status(Path process, String key) throws IOException {
            return Files.readAllLines(process.resolve("status")).stream()
                    .filter(line -> line.startsWith(key))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                    .findFirst()
                    .orElseThrow();
        }

        /** In KiB, after a full collection. */
        private static long liveHeap(long pid) {
            var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
            ShellCommand.of(jcmd, Long.toString(pid), "GC.run").run();
            var info = ShellCommand.of(jcmd, Long.toString(pid), "GC.heap_info").run();
            return HEAP_USED
                    .matcher(info)
                    .results()
                    .mapToLong(used -> Long.parseLong(used.group(1)))
                    .limit(2) // the two generations; what follows is class metadata
                    .sum();
        }
    }

    private SoakBench() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        var total = Duration.ofMinutes(Options.parse(arguments, "--minutes").number("--minutes", 10));
        // Otherwise the client keeps as many connections as it ever needed at once, and their number only grows.
        System.setProperty("jdk.httpclient.keepalive.timeout", "2");
        var directory = Files.createTempDirectory("soak");
        var samples = new ArrayList<Sample>();
        var stop = new AtomicBoolean();
        var changes = new AtomicLong();
        boolean ok;
        try (var server = LimitedServer.start(directory)) {
            var neighbour = Neighbour.start(server, PER_SECOND);
            var changing = Thread.ofPlatform().daemon().start(() -> change(server, stop, changes));
            var rude = Thread.ofPlatform().daemon().start(() -> misbehave(server, stop));
            System.out.printf(
                    "%8s %14s %10s %8s %12s %8s %10s%n",
                    "minute", "live heap MiB", "RSS MiB", "files", "connections", "threads", "changes");
            for (int i = 1; i <= SAMPLES; i++) {
                TimeUnit.NANOSECONDS.sleep(total.dividedBy(SAMPLES).toNanos());
                var sample = Sample.of(server.pid());
                samples.add(sample);
                System.out.printf(
                        "%8.1f %14d %10d %8d %12d %8d %10d%n",
                        total.toSeconds() / 60.0 * i / SAMPLES,
                        sample.of(Measure.HEAP),
                        sample.of(Measure.RESIDENT),
                        sample.of(Measure.FILES),
                        sample.of(Measure.CONNECTIONS),
                        sample.of(Measure.THREADS),
                        changes.get());
            }
            stop.set(true);
            changing.join();
            rude.join();
            var experience = neighbour.finish();
            System.out.printf(
                    "%d requests, %d wrong, p50 %.1f ms, p99 %.1f ms; %d changes of policies; peak %d MiB%n",
                    experience.millis().length,
                    experience.wrong().size(),
                    experience.percentile(0.5),
                    experience.percentile(0.99),
                    changes.get(),
                    server.peakBytes() >> 20);
            experience.wrong().stream().distinct().limit(5).forEach(wrong -> System.out.println("    " + wrong));
            ok = judge(samples) && experience.wrong().isEmpty() && server.isAlive();
        }
        System.exit(ok ? 0 : 1);
    }

    private static boolean judge(List<Sample> samples) {
        boolean ok = true;
        for (var measure : Measure.values()) {
            double before = mean(samples.subList(SAMPLES / 4, SAMPLES / 2), measure);
            double after = mean(samples.subList(SAMPLES - SAMPLES / 4, SAMPLES), measure);
            boolean flat = measure.isFlat(before, after);
            System.out.printf(
                    "%-14s second quarter %8.1f, last quarter %8.1f: %s%n",
                    measure.title, before, after, flat ? "flat" : "GROWS");
            ok &= flat;
        }
        return ok;
    }

    private static double mean(List<Sample> samples, Measure measure) {
        return samples.stream()
                .mapToLong(sample -> sample.of(measure))
                .average()
                .orElseThrow();
    }

    /** Publishes a good module, changes it, breaks it and withdraws it, over and over. */
    private static void change(LimitedServer server, AtomicBoolean stop, AtomicLong changes) {
        while (!stop.get()) {
            try {
                long number = changes.incrementAndGet();
                var module = switch ((int) (number % 4)) {
                    case 0 -> HostileModules.hugeName();
                    case 1 -> HostileModules.answering("{\"accepted\":true,\"n\":" + number + "}");
                    case 2 -> HostileModules.largeMemory(4096);
                    default -> HostileModules.endlessLogging();
                };
                server.publish("changing", module, "");
                server.awaitSettled("changing", Duration.ofMinutes(1));
                server.judge("changing", Reviews.ordinaryPod());
            } catch (IOException e) {
                System.out.println("    change: " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    /** Opens connections that send half a request and closes them. */
    private static void misbehave(LimitedServer server, AtomicBoolean stop) {
        while (!stop.get()) {
            try (var socket = Ports.connect(server.ports().api())) {
                socket.getOutputStream()
                        .write("POST /validate/neighbour HTTP/1.1\r\nHost: a\r\nContent-Le"
                                .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
                TimeUnit.MILLISECONDS.sleep(20);
            } catch (IOException e) {
                // refused or cut
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
