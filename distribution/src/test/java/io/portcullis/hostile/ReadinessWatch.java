package io.portcullis.hostile;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

/** Asks for readiness four times a second, as long as it is open. */
final class ReadinessWatch implements AutoCloseable {

    private final LimitedServer server;
    private final Thread thread = Thread.ofPlatform().name("readiness").daemon().unstarted(this::watch);
    private volatile double slowestSeconds;
    private volatile int failures;

    private ReadinessWatch(LimitedServer server) {
        this.server = server;
    }

    static ReadinessWatch start(LimitedServer server) {
        var watch = new ReadinessWatch(server);
        watch.thread.start();
        return watch;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only this thread writes
    private void watch() {
        try {
            while (true) {
                long begin = System.nanoTime();
                failures += isReady() ? 0 : 1;
                slowestSeconds = Math.max(slowestSeconds, (System.nanoTime() - begin) / 1e9);
                TimeUnit.MILLISECONDS.sleep(250);
            }
        } catch (InterruptedException e) {
            // closed
        }
    }

    private boolean isReady() throws InterruptedException {
        try {
            return server.readiness() == 200;
        } catch (IOException e) {
            return false;
        }
    }

    double slowestSeconds() {
        return slowestSeconds;
    }

    int failures() {
        return failures;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
