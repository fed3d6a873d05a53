package io.portcullis.server.evaluation.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FairPoolTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    /** Occupies a worker until the latch is released. */
    private static Thread occupy(FairPool pool, String lane, CountDownLatch release) {
        return Thread.ofVirtual().start(() -> {
            try {
                pool.run(lane, LONG, () -> {
                    try {
                        release.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                    return "";
                });
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    @Test
    void runsWorkOnPlatformThreadsAndReturnsItsResult() throws InterruptedException {
        try (var pool = new FairPool(new PoolLimits(1, 10, 10, LONG))) {
            assertThat(pool.run("a", LONG, () -> Thread.currentThread().isVirtual()))
                    .isFalse();
            assertThatThrownBy(() -> pool.run("a", LONG, () -> {
                        throw new IllegalStateException("broken");
                    }))
                    .hasMessage("broken");
        }
    }

    @Test
    void aSlowPolicyDoesNotBlockOthers() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(2, 100, 100, LONG))) {
            var slow = new ArrayList<>(List.of(occupy(pool, "slow", release), occupy(pool, "slow", release)));
            await().until(() -> pool.runningCount() == 2);
            slow.add(occupy(pool, "slow", release));
            slow.add(occupy(pool, "slower", release));
            await().until(() -> pool.runningCount() == 3 && pool.waitingCount() == 1);

            for (var i = 0; i < 20; i++) {
                assertThat(pool.<String>run("cheap", LONG, () -> "done")).isEqualTo("done");
            }

            assertThat(pool.waitingCount()).isEqualTo(1);
            release.countDown();
            for (var thread : slow) {
                thread.join();
            }
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }

    @Test
    void policiesTakeTurns() throws InterruptedException {
        var release = new CountDownLatch(1);
        var order = Collections.synchronizedList(new ArrayList<String>());
        try (var pool = new FairPool(new PoolLimits(1, 100, 100, LONG))) {
            occupy(pool, "flood", release);
            await().until(() -> pool.runningCount() == 1);
            var threads = new ArrayList<Thread>();
            for (var i = 0; i < 5; i++) {
                var waiting = pool.waitingCount();
                threads.add(Thread.ofVirtual().start(() -> record(pool, "flood", order)));
                await().until(() -> pool.waitingCount() == waiting + 1);
            }
            threads.add(Thread.ofVirtual().start(() -> record(pool, "other", order)));
            await().until(() -> order.contains("other"));

            assertThat(order).containsExactly("other");
            release.countDown();
            for (var thread : threads) {
                thread.join();
            }
            assertThat(order).hasSize(6);
        }
    }

    private static void record(FairPool pool, String lane, List<String> order) {
        try {
            pool.run(lane, LONG, () -> order.add(lane));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shedsWorkThatCannotStartInTime() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(1, 1, 1, Duration.ofMillis(20)))) {
            occupy(pool, "a", release);
            await().until(() -> pool.runningCount() == 1);

            assertThatThrownBy(() -> pool.run("a", LONG, () -> "never"))
                    .isInstanceOf(OverloadedException.class)
                    .hasMessage("no worker was free within 20 ms");
            release.countDown();
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }

    @Test
    void refusesAtOnceWhenTheQueueIsFull() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(1, 1, 1, LONG))) {
            var first = occupy(pool, "a", release);
            await().until(() -> pool.runningCount() == 1);
            var second = occupy(pool, "a", release);
            await().until(() -> pool.waitingCount() == 1);

            assertThatThrownBy(() -> pool.run("a", LONG, () -> "never"))
                    .isInstanceOf(OverloadedException.class)
                    .hasMessage("1 evaluations of this policy are waiting already (--policy-queue-size of the server)");
            release.countDown();
            first.join();
            second.join();
        }
    }

    /** Only work that waits behind others gets an extra thread. A free worker may wake late on a busy machine. */
    @Test
    void onePolicyNeverRunsOnMoreThanTheWorkers() throws InterruptedException {
        for (var round = 0; round < 200; round++) {
            var release = new CountDownLatch(1);
            try (var pool = new FairPool(new PoolLimits(1, 1, 1, LONG))) {
                var first = occupy(pool, "a", release);
                await().pollInterval(Duration.ofMillis(1)).until(() -> pool.runningCount() == 1);
                var second = occupy(pool, "a", release);
                await().pollInterval(Duration.ofMillis(1)).until(() -> pool.waitingCount() == 1);
                assertThat(pool.runningCount()).isEqualTo(1);
                release.countDown();
                first.join();
                second.join();
            }
        }
    }

    @Test
    void reportsWhetherWorkIsLeftAtShutdown() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(1, 1, 1, LONG))) {
            var first = occupy(pool, "a", release);
            await().until(() -> pool.runningCount() == 1);

            assertThat(pool.awaitIdle(Duration.ofMillis(1))).isFalse();
            release.countDown();
            first.join();
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }

    /** Submits one more evaluation of a policy that has one running. Returns whether the pool refuses it. */
    private static boolean isShed(FairPool pool, String lane, CountDownLatch release) throws InterruptedException {
        var shed = new AtomicBoolean();
        var waiting = pool.waitingByPolicy().getOrDefault(lane, 0);
        var thread = Thread.ofVirtual().start(() -> {
            try {
                pool.run(lane, LONG, () -> hold(release));
            } catch (OverloadedException e) {
                shed.set(true);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        await().pollInterval(Duration.ofMillis(1))
                .until(() -> !thread.isAlive() || pool.waitingByPolicy().getOrDefault(lane, 0) > waiting);
        return shed.get();
    }

    private static String hold(CountDownLatch release) {
        try {
            release.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return "";
    }

    @Test
    void onePolicyUsesOnlyItsPartOfTheQueue() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(1, 100, 3, LONG))) {
            occupy(pool, "slow", release);
            await().until(() -> pool.runningCount() == 1);
            for (var i = 0; i < 3; i++) {
                assertThat(isShed(pool, "slow", release)).isFalse();
            }

            assertThat(isShed(pool, "slow", release)).isTrue();
            assertThat(pool.<String>run("cheap", LONG, () -> "done")).isEqualTo("done");
            assertThat(pool.waitingByPolicy()).containsEntry("slow", 3);
            release.countDown();
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }

    @Test
    void aPolicyWithFewRequestsDisplacesRequestsOfOneWithMany() throws InterruptedException {
        var release = new CountDownLatch(1);
        var shed = new AtomicInteger();
        try (var pool = new FairPool(new PoolLimits(1, 4, 4, LONG))) {
            occupy(pool, "flood", release);
            await().until(() -> pool.runningCount() == 1);
            for (var i = 0; i < 4; i++) {
                Thread.ofVirtual().start(() -> {
                    try {
                        pool.run("flood", LONG, () -> hold(release));
                    } catch (OverloadedException e) {
                        shed.incrementAndGet();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            await().until(() -> pool.waitingCount() == 4);

            assertThat(pool.<String>run("cheap", LONG, () -> "done")).isEqualTo("done");

            await().until(() -> shed.get() == 1);
            assertThat(pool.waitingByPolicy()).containsEntry("flood", 3);
            release.countDown();
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }

    /** Max-min fairness: the pool never refuses a policy that uses less than an equal share of the queue. */
    @Test
    void neverRefusesAPolicyBelowItsShare() throws InterruptedException {
        var seed = System.nanoTime();
        System.out.println("seed " + seed);
        var random = new Random(seed);
        for (var round = 0; round < 20; round++) {
            var release = new CountDownLatch(1);
            var queue = 6 + random.nextInt(20);
            var policies = 2 + random.nextInt(4);
            try (var pool = new FairPool(new PoolLimits(1, queue, queue, LONG))) {
                for (var i = 0; i < policies; i++) {
                    occupy(pool, "p" + i, release);
                    var expected = i + 1;
                    await().pollInterval(Duration.ofMillis(1)).until(() -> pool.runningCount() == expected);
                }
                for (var i = 0; i < 3 * queue; i++) {
                    var lane = "p" + Math.min(policies - 1, (int) Math.abs(random.nextGaussian() * 0.7));
                    var own = pool.waitingByPolicy().getOrDefault(lane, 0);
                    var refused = isShed(pool, lane, release);

                    if (own < queue / policies - 1) {
                        assertThat(refused).as("%s with %d waiting", lane, own).isFalse();
                    }
                    assertThat(pool.waitingCount()).isLessThanOrEqualTo(queue);
                }
                release.countDown();
                assertThat(pool.awaitIdle(LONG)).isTrue();
            }
        }
    }

    @Test
    void removesAbandonedWorkFromTheQueueAtOnce() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(1, 1, 1, LONG))) {
            occupy(pool, "a", release);
            await().until(() -> pool.runningCount() == 1);
            for (var i = 0; i < 3; i++) {
                assertThatThrownBy(() -> pool.run("a", Duration.ofMillis(10), () -> "never"))
                        .hasMessage("no worker was free within 10 ms");
                assertThat(pool.waitingCount()).isZero();
            }
            release.countDown();
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }

    @Test
    void neverRefusesTheSelfCheck() throws InterruptedException {
        var release = new CountDownLatch(1);
        try (var pool = new FairPool(new PoolLimits(1, 1, 1, LONG))) {
            occupy(pool, "a", release);
            await().until(() -> pool.runningCount() == 1);
            occupy(pool, "a", release);
            await().until(() -> pool.waitingCount() == 1);

            assertThat(pool.<String>run(FairPool.SELF_CHECK, LONG, () -> "done"))
                    .isEqualTo("done");
            release.countDown();
            assertThat(pool.awaitIdle(LONG)).isTrue();
        }
    }
}
