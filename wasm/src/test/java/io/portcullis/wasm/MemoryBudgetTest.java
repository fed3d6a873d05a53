package io.portcullis.wasm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class MemoryBudgetTest {

    private static final long MIB = 1 << 20;
    private static final Deadline SOON = Deadline.after(Duration.ZERO);

    private final MemoryBudget budget = new MemoryBudget("the test budget", 100 * MIB);

    @Test
    void countsReservationsUntilTheirRelease() {
        try (var one = budget.reserve(10 * MIB, SOON);
                var two = budget.reserve(5 * MIB, SOON)) {
            one.growTo(20 * MIB);
            one.growTo(3 * MIB);

            assertThat(budget.usedBytes()).isEqualTo(25 * MIB);
            assertThat(one.bytes()).isEqualTo(20 * MIB);
            assertThat(two.bytes()).isEqualTo(5 * MIB);
        }
        assertThat(budget.usedBytes()).isZero();
        assertThat(budget.capacityBytes()).isEqualTo(100 * MIB);
    }

    @Test
    void releasesOnceWhenClosedTwice() {
        var reservation = budget.reserve(10 * MIB, SOON);
        reservation.close();
        reservation.close();

        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void rejectsReservationsBeyondTheBudgetAndReportsItsSize() {
        try (var _ = budget.reserve(70 * MIB, SOON)) {
            assertThatExceptionOfType(MemoryBudgetExceededException.class)
                    .isThrownBy(() -> budget.reserve(20 * MIB, SOON))
                    .withMessageContaining("the test budget is used up")
                    .withMessageContaining(String.valueOf(70 * MIB))
                    .withMessageContaining(String.valueOf(100 * MIB))
                    .withMessageContaining("operator");
        }
        assertThat(budget.refused()).isEqualTo(1);
        assertThat(budget.waiting()).isZero();
        budget.reserve(20 * MIB, SOON).close();
    }

    @Test
    void rejectsAReservationThatCanNeverFitAtOnce() {
        assertThatExceptionOfType(MemoryBudgetExceededException.class)
                .isThrownBy(() -> budget.reserve(76 * MIB, Deadline.NONE))
                .withMessageContaining("the test budget is too small for the policy")
                .withMessageContaining(String.valueOf(75 * MIB))
                .withMessageNotContaining("try again");
        assertThatExceptionOfType(MemoryBudgetExceededException.class)
                .isThrownBy(() -> budget.reserve(Long.MAX_VALUE / 2, Deadline.NONE));
    }

    @Test
    void keepsAQuarterForSmallReservations() {
        try (var _ = budget.reserve(75 * MIB, SOON)) {
            assertThatExceptionOfType(MemoryBudgetExceededException.class)
                    .isThrownBy(() -> budget.reserve(9 * MIB, SOON));
            try (var small = budget.reserve(8 * MIB, SOON)) {
                assertThat(budget.usedBytes()).isEqualTo(83 * MIB);
                assertThatExceptionOfType(MemoryBudgetExceededException.class).isThrownBy(() -> small.growTo(9 * MIB));
                assertThat(small.bytes()).isEqualTo(8 * MIB);
            }
        }
        assertThat(budget.usedBytes()).isZero();
        budget.reserve(75 * MIB, SOON).close();
    }

    @Test
    void grantsAWaitingReservationWhenAnotherIsReleased() throws Exception {
        var first = budget.reserve(70 * MIB, SOON);
        var task = new FutureTask<>(() -> {
            try (var second = budget.reserve(50 * MIB, Deadline.after(Duration.ofMinutes(1)))) {
                return second.bytes();
            }
        });
        Thread.ofVirtual().start(task);
        while (budget.waiting() == 0) {
            Thread.onSpinWait();
        }
        first.close();

        assertThat(task.get(1, TimeUnit.MINUTES)).isEqualTo(50 * MIB);
        assertThat(budget.usedBytes()).isZero();
    }

    @Test
    void neverReservesMoreThanTheBudget() throws Exception {
        var most = new java.util.concurrent.atomic.AtomicLong();
        var done = new CountDownLatch(8);
        for (var thread = 0; thread < 8; thread++) {
            var size = 10 * MIB * (thread % 4 + 1);
            Thread.ofPlatform().start(() -> {
                for (var round = 0; round < 500; round++) {
                    try (var _ = budget.reserve(size, Deadline.after(Duration.ofMinutes(1)))) {
                        most.accumulateAndGet(budget.usedBytes(), Math::max);
                    }
                }
                done.countDown();
            });
        }

        assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
        assertThat(most.get()).isPositive().isLessThanOrEqualTo(100 * MIB);
        assertThat(budget.usedBytes()).isZero();
    }
}
