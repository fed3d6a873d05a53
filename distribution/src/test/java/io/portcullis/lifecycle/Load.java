package io.portcullis.lifecycle;

import io.portcullis.lifecycle.Requests.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Requests at a steady rate, every answer looked at. */
final class Load {

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("load").daemon().factory());
    private final Queue<Answer> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();

    private final PodRequests requests;

    private Load(PodRequests requests) {
        this.requests = requests;
    }

    /** Every privileged pod must be denied by a policy, every ordinary one allowed, each asked once. */
    static Load start(Requests requests, int perSecond) {
        return begin(requests.once(), perSecond);
    }

    /** The same without the API server: asks a replica itself. */
    static Load start(ReplicaRequests replica, int perSecond) {
        return begin(replica, perSecond);
    }

    private static Load begin(PodRequests requests, int perSecond) {
        var load = new Load(requests);
        var _ = load.clock.scheduleAtFixedRate(
                load::ask, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
        return load;
    }

    private void ask() {
        boolean privileged = asked.incrementAndGet() % 2 == 0;
        Supplier<Answer> request = privileged ? requests::privilegedPod : requests::ordinaryPod;
        Thread.ofVirtual().start(() -> {
            var answer = request.get();
            boolean right = switch (answer) {
                case Answer.Allowed _ -> !privileged;
                case Answer.Denied _ -> privileged;
                case Answer.Failed _ -> false;
            };
            if (!right) {
                wrong.add(answer);
            }
            answered.incrementAndGet();
        });
    }

    int answered() {
        return answered.get();
    }

    /** No more are asked; waits for those under way and returns failed requests and wrong decisions. */
    List<Answer> finish() throws InterruptedException {
        clock.shutdown();
        if (!clock.awaitTermination(10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the load does not stop");
        }
        var limit = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (answered.get() < asked.get() && System.nanoTime() < limit) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        int unanswered = asked.get() - answered.get();
        if (unanswered > 0) {
            wrong.add(new Answer.Failed(unanswered + " requests without an answer"));
        }
        requests.close();
        return List.copyOf(wrong);
    }
}
