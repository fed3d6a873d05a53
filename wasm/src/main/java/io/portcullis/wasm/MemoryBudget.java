package io.portcullis.wasm;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The bytes that all evaluations of a process may use at the same time. Thread-safe.
 *
 * <p>A reservation that does not fit waits until others are released, but not beyond its deadline. A quarter of the
 * budget is open only to reservations of at most {@link #SMALL_BYTES}, so that a few large guests cannot delay ordinary
 * policies.
 */
public final class MemoryBudget {

    /** Ordinary policies use 1 to 4 MiB. */
    public static final long SMALL_BYTES = 8L << 20;

    private final String name;
    private final long capacity;
    private final long largeCapacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();
    private long used;
    private long usedByLarge;
    private int waiting;
    private long refused;

    /** @param name what the bytes are for, and which setting changes the budget, for error messages */
    public MemoryBudget(String name, long capacity) {
        if (capacity <= 0) {
            throw new IllegalArgumentException("a memory budget must be positive: " + capacity);
        }
        this.name = name;
        this.capacity = capacity;
        this.largeCapacity = capacity - capacity / 4;
    }

    /** Bytes held by one evaluation. Close it when they are free again. Confined to one thread. */
    public final class Reservation implements AutoCloseable {
        private long bytes;

        private Reservation(long bytes) {
            this.bytes = bytes;
        }

        public long bytes() {
            return bytes;
        }

        /**
         * Makes the reservation larger. Does not wait, because the bytes are in use already.
         *
         * @throws MemoryBudgetExceededException when they do not fit; the reservation keeps its size
         */
        public void growTo(long wanted) {
            if (wanted <= bytes) {
                return;
            }
            lock.lock();
            try {
                take(-bytes);
                if (fits(wanted)) {
                    take(wanted);
                    bytes = wanted;
                } else {
                    take(bytes);
                    throw refusal(wanted);
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                take(-bytes);
                bytes = 0;
                if (waiting > 0) {
                    released.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Reserves bytes, and waits for them if necessary.
     *
     * @throws MemoryBudgetExceededException when they can never fit, or not before the deadline
     */
    public Reservation reserve(long bytes, Deadline deadline) {
        lock.lock();
        try {
            if (!fits(bytes)) {
                await(bytes, deadline);
            }
            take(bytes);
            return new Reservation(bytes);
        } finally {
            lock.unlock();
        }
    }

    public long capacityBytes() {
        return capacity;
    }

    public long usedBytes() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    /** How many evaluations wait for memory. */
    public int waiting() {
        lock.lock();
        try {
            return waiting;
        } finally {
            lock.unlock();
        }
    }

    /** How many reservations did not fit since the process started. */
    public long refused() {
        lock.lock();
        try {
            return refused;
        } finally {
            lock.unlock();
        }
    }

    private void await(long bytes, Deadline deadline) {
        if (bytes > largest(bytes)) {
            throw refusal(bytes);
        }
        waiting++;
        try {
            while (!fits(bytes)) {
                var left = deadline.remaining().toNanos();
                if (left == 0) {
                    throw refusal(bytes);
                }
                var _ = released.await(left, TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw refusal(bytes);
        } finally {
            waiting--;
        }
    }

    private boolean fits(long bytes) {
        return used + bytes <= capacity && (bytes <= SMALL_BYTES || usedByLarge + bytes <= largeCapacity);
    }

    /** Returns the bytes that an evaluation of this size could reserve if no other ran. */
    private long largest(long bytes) {
        return bytes <= SMALL_BYTES ? capacity : largeCapacity;
    }

    /** @param bytes negative to release */
    private void take(long bytes) {
        used += bytes;
        if (Math.abs(bytes) > SMALL_BYTES) {
            usedByLarge += bytes;
        }
    }

    private MemoryBudgetExceededException refusal(long bytes) {
        refused++;
        var largest = largest(bytes);
        return new MemoryBudgetExceededException(
                bytes > largest
                        ? "%s is too small for the policy: it needs %d bytes and can have at most %d; ask the operator for a larger budget"
                                .formatted(name, bytes, largest)
                        : "%s is used up: %d of %d bytes are in use, the policy needs %d and a policy can have at most %d; try again later or ask the operator for a larger budget"
                                .formatted(name, used, capacity, bytes, largest));
    }
}
