package io.portcullis.lifecycle;

import io.portcullis.lifecycle.Requests.Answer;
import java.time.Duration;
import java.util.ArrayList;
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

    /** The cause is in the first lines of a client's message, which repeats it. */
    private static final int MESSAGE_LIMIT = 500;

    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("load").daemon().factory());
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();

    private final PodRequests requests;
    private final Timeline timeline;

    private Load(PodRequests requests, Timeline timeline) {
        this.requests = requests;
        this.timeline = timeline;
    }

    /** Every privileged pod must be denied by a policy, every ordinary one allowed, each asked once. */
    static Load start(Requests requests, int perSecond) {
        return begin(requests.once(), Timeline.watch(requests.client()), perSecond);
    }

    /** The same without the API server: asks a replica itself. */
    static Load start(ReplicaRequests replica, int perSecond) {
        return begin(replica, Timeline.none(), perSecond);
    }

    private static Load begin(PodRequests requests, Timeline timeline, int perSecond) {
        var load = new Load(requests, timeline);
        var _ = load.clock.scheduleAtFixedRate(
                load::ask, 0, TimeUnit.SECONDS.toNanos(1) / perSecond, TimeUnit.NANOSECONDS);
        return load;
    }

    private void ask() {
        boolean privileged = asked.incrementAndGet() % 2 == 0;
        Supplier<Answer> request = privileged ? requests::privilegedPod : requests::ordinaryPod;
        Thread.ofVirtual().start(() -> {
            var start = timeline.now();
            var answer = request.get();
            boolean right = switch (answer) {
                case Answer.Allowed _ -> !privileged;
                case Answer.Denied _ -> privileged;
                case Answer.Failed _ -> false;
            };
            if (!right) {
                var text = answer.toString();
                wrong.add(start + " to " + timeline.now() + ": "
                        + text.substring(0, Math.min(text.length(), MESSAGE_LIMIT)));
            }
            answered.incrementAndGet();
        });
    }

    int answered() {
        return answered.get();
    }

    /**
     * No more are asked; waits for those under way.
     *
     * @return failed requests and wrong decisions, and if there are any, what replicas and Services did meanwhile
     */
    List<String> finish() throws InterruptedException {
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
            wrong.add(unanswered + " requests without an answer");
        }
        requests.close();
        timeline.close();
        return report();
    }

    private List<String> report() {
        if (wrong.isEmpty()) {
            return List.of();
        }
        List<String> report = new ArrayList<>();
        report.add(wrong.size() + " of " + asked.get() + " requests failed or were decided wrongly");
        wrong.stream().limit(3).forEach(report::add);
        wrong.stream().skip(Math.max(3, wrong.size() - 1)).forEach(report::add);
        report.addAll(timeline.entries());
        return report;
    }
}
