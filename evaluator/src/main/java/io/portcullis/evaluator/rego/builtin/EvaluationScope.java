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
 * The state that the built-ins of one evaluation share: a fixed time, random values that are stable per key, the print
 * consumer, and the deadline for long calls. Confined to one thread.
 */
public final class EvaluationScope {

    /** The maximum size of a result; larger than any object that an API server accepts. */
    public static final long MAX_RESULT = 4L << 20;

    private static final long STEPS_PER_CHECK = 1 << 16;

    private final long nowNanos;
    private final RandomGenerator random;
    private final Deadline deadline;
    private final Consumer<String> prints;
    private final Map<String, RegoValue> onceValues = new HashMap<>();
    private long steps;
    private long produced;

    public EvaluationScope(long nowNanos, RandomGenerator random, Deadline deadline, Consumer<String> prints) {
        this.nowNanos = nowNanos;
        this.random = random;
        this.deadline = deadline;
        this.prints = prints;
    }

    /** Nanoseconds since 1970; constant during the whole evaluation. */
    public long nowNanos() {
        return nowNanos;
    }

    public Deadline deadline() {
        return deadline;
    }

    public RandomGenerator random() {
        return random;
    }

    public void print(String text) {
        prints.accept(text);
    }

    public RegoValue computeOnce(String key, Supplier<RegoValue> make) {
        return onceValues.computeIfAbsent(key, _ -> make.get());
    }

    /** Resets the result size at the start of a call. */
    void beginCall() {
        produced = 0;
    }

    /**
     * Counts steps of work, about ten nanoseconds each, and ends the evaluation after its deadline. Every loop that can
     * run longer than the size of the operands must call it.
     */
    public void countSteps(long more) {
        steps += more;
        if (steps >= STEPS_PER_CHECK) {
            steps = 0;
            checkDeadline();
        }
    }

    /**
     * Counts characters and values of the result of the current call. Must be called before they are created.
     *
     * @throws TrapException if the result becomes too large
     */
    public void countResult(long more) {
        produced += more;
        checkSize(produced);
        countSteps(1);
    }

    /** @throws TrapException if a result of this many characters is too large */
    public void checkSize(long size) {
        if (size > MAX_RESULT) {
            throw new TrapException(
                    TrapException.Kind.LIMIT,
                    "the result of a built-in is larger than the limit of " + MAX_RESULT
                            + " characters, which cannot be changed",
                    List.of(),
                    null);
        }
    }

    public void checkDeadline() {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
    }
}
