package io.portcullis.hostile;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A peaceful tenant: sends requests at a steady rate, half of them to be rejected, and checks every answer. */
final class Neighbour {

    /** @param wrong answers that were missing or not what the policy says */
    record Experience(List<String> wrong, double[] millis) {

        double percentile(double share) {
            return millis.length == 0
                    ? Double.NaN
                    : millis[(int) Math.min(millis.length - 1, (long) (millis.length * share))];
        }
    }

    private final LimitedServer server;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("neighbour").daemon().factory());
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger answered = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final List<Double> millis = Collections.synchronizedList(new ArrayList<>());

    private Neighbour(LimitedServer server) {
        this.server = server;
    }

    static Neighbour start(LimitedServer server, int perSecond) {
        var neighbour = new Neighbour(server);
        var _ = neighbour.clock.scheduleAtFixedRate(
                neighbour::ask, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
        return neighbour;
    }

    private void ask() {
        boolean privileged = sent.incrementAndGet() % 2 == 0;
        Thread.ofVirtual().start(() -> {
            long begin = System.nanoTime();
            try {
                var answer = server.judge(
                        LimitedServer.NEIGHBOUR, privileged ? Reviews.privilegedPod() : Reviews.ordinaryPod());
                millis.add((System.nanoTime() - begin) / 1e6);
                if (answer.statusCode() != 200 || answer.body().contains("\"allowed\":true") == privileged) {
                    wrong.add(answer.statusCode() + " " + answer.body());
                }
            } catch (IOException e) {
                wrong.add(String.valueOf(e));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                wrong.add("interrupted");
            }
            answered.incrementAndGet();
        });
    }

    /** Sends no more requests, waits for the last answers and returns what happened. */
    Experience finish() throws InterruptedException {
        clock.shutdown();
        boolean ended = clock.awaitTermination(10, TimeUnit.SECONDS);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (answered.get() < sent.get() && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        if (!ended || answered.get() < sent.get()) {
            wrong.add((sent.get() - answered.get()) + " requests without an answer");
        }
        return new Experience(
                List.copyOf(wrong),
                millis.stream().mapToDouble(Double::doubleValue).sorted().toArray());
    }
}
