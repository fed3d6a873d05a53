package io.portcullis.controller.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.portcullis.controller.queue.WorkQueue.Pace;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class WorkQueueTest {

    private static final Pace FAST = new Pace(Duration.ofMillis(1), 4, Duration.ofMillis(1), Duration.ofMillis(5));
    private static final Duration NEVER = Duration.ofHours(1);

    @Test
    void addingAKeyLeadsToACall() {
        var calls = new AtomicInteger();
        try (var queue = new WorkQueue<String>("test", FAST, key -> {
            calls.incrementAndGet();
            return Optional.empty();
        })) {
            queue.add("a");
            await().untilAtomic(calls, org.hamcrest.Matchers.is(1));
            await().until(() -> queue.pending() == 0);
        }
    }

    @Test
    void mergesAddsWithinTheDelayIntoOneCall() {
        var calls = new AtomicInteger();
        var pace = new Pace(Duration.ofMillis(100), 4, Duration.ofMillis(1), Duration.ofMillis(5));
        try (var queue = new WorkQueue<String>("test", pace, key -> {
            calls.incrementAndGet();
            return Optional.empty();
        })) {
            for (int i = 0; i < 1000; i++) {
                queue.addAfter("a", NEVER);
                queue.add("a");
            }
            await().until(() -> queue.pending() == 0);
            assertThat(calls).hasValue(1);
        }
    }

    @Test
    void aKeyIsDirtyWhenItIsAddedDuringACallButNotWhenItIsPlannedForLater() {
        var inside = new CountDownLatch(1);
        var finish = new CountDownLatch(1);
        try (var queue = new WorkQueue<String>("test", FAST, key -> {
            inside.countDown();
            finish.await();
            return Optional.of(NEVER);
        })) {
            queue.add("a");
            await().until(() -> inside.getCount() == 0);
            queue.addAfter("a", NEVER);
            assertThat(queue.isDirty("a")).isFalse();
            assertThat(queue.isBusyWith("a")).isTrue();
            assertThat(queue.isBusyWith("b")).isFalse();

            queue.add("a");
            assertThat(queue.isDirty("a")).isTrue();
            assertThat(queue.isDirty("b")).isFalse();

            finish.countDown();
            await().until(() -> !queue.isDirty("a"));
            await().until(() -> !queue.isBusyWith("a"));
        }
    }

    @Test
    void callsForOneKeyNeverOverlapAndNoAddIsLost() throws InterruptedException {
        var inside = new AtomicInteger();
        var overlaps = new AtomicInteger();
        var added = new AtomicInteger();
        var seen = new AtomicInteger();
        try (var queue = new WorkQueue<String>("test", FAST, key -> {
            if (inside.incrementAndGet() > 1) {
                overlaps.incrementAndGet();
            }
            seen.set(added.get());
            Thread.onSpinWait();
            inside.decrementAndGet();
            return Optional.empty();
        })) {
            for (int i = 0; i < 2000; i++) {
                added.incrementAndGet();
                queue.add("a");
            }
            await().until(() -> queue.pending() == 0);
            assertThat(seen).hasValue(2000);
            assertThat(overlaps).hasValue(0);
        }
    }

    @Test
    void addingAKeyDuringACallLeadsToAnotherCall() throws InterruptedException {
        var calls = new AtomicInteger();
        var entered = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        try (var queue = new WorkQueue<String>("test", FAST, key -> {
            if (calls.incrementAndGet() == 1) {
                entered.countDown();
                go.await();
            }
            return Optional.empty();
        })) {
            queue.add("a");
            entered.await();
            queue.addAfter("a", Duration.ZERO);
            go.countDown();
            await().untilAtomic(calls, org.hamcrest.Matchers.is(2));
        }
    }

    @Test
    void retriesAFailedCall() {
        var calls = new AtomicInteger();
        try (var queue = new WorkQueue<String>("test", FAST, key -> {
            if (calls.incrementAndGet() < 4) {
                throw new IllegalStateException("not yet");
            }
            return Optional.empty();
        })) {
            queue.add("a");
            await().until(() -> calls.get() == 4 && queue.pending() == 0);
        }
    }

    @Test
    void aCallCanRequestAnotherCall() {
        var calls = new AtomicInteger();
        try (var queue = new WorkQueue<String>(
                "test",
                FAST,
                key -> calls.incrementAndGet() < 3 ? Optional.of(Duration.ofMillis(1)) : Optional.empty())) {
            queue.add("a");
            await().until(() -> calls.get() == 3 && queue.pending() == 0);
        }
    }

    @Test
    void aLaterRequestDoesNotDelayAnEarlierOne() {
        var calls = new AtomicInteger();
        try (var queue = new WorkQueue<String>("test", FAST, key -> {
            calls.incrementAndGet();
            return Optional.empty();
        })) {
            queue.add("a");
            queue.addAfter("a", NEVER);
            await().untilAtomic(calls, org.hamcrest.Matchers.is(1));
        }
    }

    @Test
    void logsAFailureWithItsCauseAndKey() {
        var lines = new ListAppender<ILoggingEvent>();
        var logger = (Logger) LoggerFactory.getLogger(WorkQueue.class);
        lines.start();
        logger.addAppender(lines);
        try (var queue = new WorkQueue<String>("policies", FAST, key -> {
            throw new IllegalStateException("cannot delete the webhook: forbidden");
        })) {
            queue.add("no-privileged-pods");
            await().until(() -> !lines.list.isEmpty());
        } finally {
            logger.detachAppender(lines);
        }

        var line = lines.list.getFirst();
        assertThat(line.getLevel()).isEqualTo(Level.WARN);
        assertThat(line.getFormattedMessage()).isEqualTo("cannot delete the webhook: forbidden");
        assertThat(line.getKeyValuePairs().toString()).contains("policies", "no-privileged-pods");
    }
}
