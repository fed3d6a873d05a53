package io.portcullis.lifecycle;

import io.portcullis.testkit.hostpods.HostPod;
import io.portcullis.testkit.program.CommandException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Kills, pauses and partitions controller and replicas, whichever the random numbers say, and undoes what does not end by itself. */
final class Disturbance implements AutoCloseable {

    private static final int LONGEST_SECONDS = 12;
    /** After a crash the lease of the controller must run out before the next one may act. */
    private static final Duration CONTROLLER_RECOVERS = Duration.ofSeconds(25);

    private final Installation installation;
    private final Supplier<List<HostPod>> pods;
    private final Random random;
    private final ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("undo").daemon().factory());
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile long controllerDisturbedUntil;

    Disturbance(Installation installation, Supplier<List<HostPod>> pods, Random random) {
        this.installation = installation;
        this.pods = pods;
        this.random = random;
    }

    private enum Fault {
        KILL,
        PAUSE,
        PARTITION
    }

    /** Does one thing; what it was. */
    String strike() {
        var fault = Fault.values()[random.nextInt(Fault.values().length)];
        var seconds = 1 + random.nextInt(LONGEST_SECONDS);
        var victim = random.nextInt(4);
        if (victim == 0) {
            strikeController(fault, seconds);
            return fault + " controller for " + seconds + " s";
        }
        var all = pods.get();
        var pod = all.get(victim % all.size());
        switch (fault) {
            case KILL -> attempt(pod::kill);
            case PAUSE -> {
                attempt(pod::pause);
                undo(pod::resume, seconds);
            }
            case PARTITION -> {
                pod.line().cut();
                undo(pod.line()::mend, seconds);
            }
        }
        return fault + " " + pod.name() + " for " + seconds + " s";
    }

    private void strikeController(Fault fault, int seconds) {
        controllerDisturbedUntil =
                System.nanoTime() + CONTROLLER_RECOVERS.plusSeconds(seconds).toNanos();
        switch (fault) {
            case KILL -> attempt(installation::crashController);
            case PAUSE -> {
                var program = installation.controller();
                attempt(program::pause);
                undo(program::resume, seconds);
            }
            case PARTITION -> {
                installation.controllerLine().cut();
                undo(installation.controllerLine()::mend, seconds);
            }
        }
    }

    /** Whether the controller has been left alone for long enough to do its work. */
    boolean isControllerUndisturbed() {
        return System.nanoTime() > controllerDisturbedUntil;
    }

    private void undo(Runnable action, int seconds) {
        underWay.incrementAndGet();
        var _ = later.schedule(
                () -> {
                    try {
                        attempt(action);
                    } finally {
                        underWay.decrementAndGet();
                    }
                },
                seconds,
                TimeUnit.SECONDS);
    }

    /** What died in between can be neither paused nor resumed. */
    private static void attempt(Runnable action) {
        try {
            action.run();
        } catch (CommandException | IllegalStateException e) {
            System.out.println("  came too late: " + e.getMessage());
        }
    }

    boolean isOver() {
        return underWay.get() == 0;
    }

    @Override
    public void close() {
        later.shutdownNow();
    }
}
