package io.portcullis.lifecycle;

import io.portcullis.lifecycle.Requests.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Asks for pods all the time where policies are enforced. A replica that is killed may lose a request, and then the API
 * server refuses it; what must not be is a wrong decision.
 */
final class ChaosRequests implements AutoCloseable {

    private static final Duration PERIOD = Duration.ofMillis(200);

    private final Consumer<String> complaint;
    private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(
            2, Thread.ofPlatform().name("requests-", 0).daemon().factory());
    private final List<Requests> asked = new ArrayList<>();
    private final AtomicInteger judged = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    /** @param complaint receives every wrong decision */
    ChaosRequests(List<Requests> where, Consumer<String> complaint) {
        this.complaint = complaint;
        for (var namespace : where) {
            var requests = namespace.once();
            asked.add(requests);
            var _ = threads.scheduleWithFixedDelay(() -> ask(requests), 0, PERIOD.toMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void ask(Requests requests) {
        look(requests, requests.privilegedPod(), true);
        look(requests, requests.ordinaryPod(), false);
    }

    private void look(Requests requests, Answer answer, boolean privileged) {
        boolean wrong = switch (answer) {
            case Answer.Allowed _ -> privileged;
            case Answer.Denied _ -> !privileged;
            case Answer.Failed _ -> false;
        };
        (answer instanceof Answer.Failed ? failed : judged).incrementAndGet();
        if (wrong) {
            complaint.accept("in " + requests.namespace() + (privileged ? " a privileged" : " an ordinary")
                    + " pod got " + answer);
        }
    }

    @Override
    public String toString() {
        return judged + " requests judged, " + failed + " failed";
    }

    @Override
    public void close() {
        threads.close();
        asked.forEach(requests -> requests.client().close());
    }
}
