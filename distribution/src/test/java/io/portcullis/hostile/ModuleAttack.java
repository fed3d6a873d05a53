package io.portcullis.hostile;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;

/** Publishes a module, sends requests to it if the server loads it, and withdraws it. */
record ModuleAttack(String title, byte[] module) implements Attack {

    private static final Duration SETTLE_LIMIT = Duration.ofMinutes(2);
    private static final int PARALLEL_REQUESTS = 8;

    @Override
    public String name() {
        return "a module: " + title;
    }

    @Override
    public String toString() {
        return name();
    }

    @Override
    public void run(LimitedServer server, Duration duration) throws IOException, InterruptedException {
        server.publish("hostile", module, "");
        try {
            server.awaitSettled("hostile", SETTLE_LIMIT);
            var threads = new ArrayList<Thread>();
            for (int i = 0; i < PARALLEL_REQUESTS; i++) {
                threads.add(Thread.ofVirtual()
                        .start(() -> ClientAttack.tolerant(() -> server.judge("hostile", Reviews.ordinaryPod()))));
            }
            for (var thread : threads) {
                thread.join();
            }
        } finally {
            server.withdraw("hostile");
        }
    }
}
