package io.portcullis.evaluator.rego.builtin.registry;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.fuzz.Inputs;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.DeadlineExceededException;
import io.portcullis.wasm.TrapException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** Rego built-ins: {@code name NUL [arguments]} gives a BuiltinException, a DeadlineExceededException, or a value. */
public final class BuiltinsFuzz {

    /** The deadline of the call. A busy machine may need up to {@link #LATE} to detect that it passed. */
    private static final Duration DEADLINE = Duration.ofMillis(200);

    private static final Duration LATE = Duration.ofSeconds(20);

    private BuiltinsFuzz() {}

    public static void fuzzerTestOneInput(byte[] input) {
        var parts = Inputs.pair(input);
        call(Inputs.text(parts.get(0)), parts.get(1));
    }

    static void call(String name, byte[] arguments) {
        var builtin = Builtins.named(name);
        if (builtin.isEmpty()) {
            return;
        }
        RegoValue parsed;
        try {
            parsed = ValueParser.parse(Inputs.text(arguments));
        } catch (IllegalArgumentException e) {
            return;
        }
        if (!(parsed instanceof RegoValue.ArrayValue(List<RegoValue> values))) {
            return;
        }
        var startedAt = System.nanoTime();
        var scope = new EvaluationScope(1L << 60, new Random(1), Deadline.after(DEADLINE), _ -> {});
        try {
            builtin.get().call(values, scope);
        } catch (BuiltinException | DeadlineExceededException e) {
            Inputs.check(e.getMessage() != null, "the failure has a message");
        } catch (TrapException e) {
            Inputs.check(e.kind() == TrapException.Kind.LIMIT, "only a limit traps");
        }
        Inputs.check(System.nanoTime() - startedAt < LATE.toNanos(), "the deadline holds");
    }
}
