package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the builtins of one evaluation share: one moment in time, random values that stay the same for the same key,
 * where prints go, and the deadline for those that can take long. Confined to one thread.
 */
public final class EvaluationScope {

    private final long nowNanos;
    private final RandomGenerator random;
    private final Deadline deadline;
    private final Consumer<String> prints;
    private final Map<String, Value> remembered = new HashMap<>();

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

    RandomGenerator random() {
        return random;
    }

    void print(String text) {
        prints.accept(text);
    }

    Value remember(String key, Supplier<Value> make) {
        return remembered.computeIfAbsent(key, _ -> make.get());
    }

    void checkDeadline() {
        if (deadline.hasPassed()) {
            throw new DeadlineExceededException();
        }
    }
}
