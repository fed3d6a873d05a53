package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.TrapException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the builtins of one evaluation share: one moment in time, random values that stay the same for the same key,
 * where prints go, and the deadline for those that can take long. Confined to one thread.
 */
public final class EvaluationScope {

    /** Larger than any object that an API server takes. */
    static final long MAX_RESULT = 4L << 20;

    private static final long STEPS_PER_CHECK = 1 << 16;

    private final long nowNanos;
    private final RandomGenerator random;
    private final Deadline deadline;
    private final Consumer<String> prints;
    private final Map<String, RegoValue> remembered = new HashMap<>();
    private long steps;
    private long produced;

    public EvaluationScope(long nowNanos, RandomGenerator random, Deadline deadline, Consumer<String> prints) {
        this.nowNanos = nowNanos;
        this.random = random;
        this.deadline = deadline;
        this.prints = prints;
    }

    /** Nanoseconds since 1970, the same during the whole evaluation. */
    long nowNanos() {
        return nowNanos;
    }

    Deadline deadline() {
        return deadline;
    }

    RandomGenerator random() {
        return random;
    }

    void print(String text) {
        prints.accept(text);
    }

    RegoValue remember(String key, Supplier<RegoValue> make) {
        return remembered.computeIfAbsent(key, _ -> make.get());
    }

    /** Starts the count of what one call produces. */
    void beginCall() {
        produced = 0;
    }

    /**
     * Counts steps of work, about ten nanoseconds each, and ends the evaluation when its deadline has passed. Call it in
     * every loop whose length is more than the size of the operands.
     */
    void work(long more) {
        steps += more;
        if (steps >= STEPS_PER_CHECK) {
            steps = 0;
            checkDeadline();
        }
    }

    /**
     * Counts characters and values that go into the result of the current call. Call it before they are made.
     *
     * @throws TrapException when the result gets too large
     */
    void produce(long more) {
        produced += more;
        checkSize(produced);
        work(1);
    }

    /** @throws TrapException when a result of this many characters is too large */
    void checkSize(long size) {
        if (size > MAX_RESULT) {
            throw new TrapException(
                    TrapException.Kind.LIMIT,
                    "the result of a built-in is larger than the limit of " + MAX_RESULT
                            + " characters, which cannot be changed",
                    List.of(),
                    null);
        }
    }

    void checkDeadline() {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
    }
}
