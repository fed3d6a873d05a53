package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.json.JsonTree;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.NamedBuiltin;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.MemoryBudget;
import io.portcullis.wasm.TrapException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/** The state of one evaluation for host functions: built-ins by number, limits and outputs. One per instance. */
record RegoEvaluation(
        Map<Integer, NamedBuiltin> builtins,
        BuiltinErrors errors,
        EvaluationScope scope,
        PolicyPrints prints,
        MemoryBudget hostMemory,
        Deadline deadline) {

    /** The maximum size of all operands of one built-in call; larger than any object that an API server accepts. */
    static final int MAX_OPERAND_BYTES = 4 << 20;

    /** The size below which the operands of a call do not count against the memory budget. */
    private static final long SMALL_OPERANDS = 64 << 10;

    /** Receives the lines that a policy prints. */
    @FunctionalInterface
    interface PolicyPrints {
        void print(String line);
    }

    static RegoEvaluation forInspection() {
        var scope = new EvaluationScope(0, new Random(0), Deadline.NONE, _ -> {});
        var hostMemory = new MemoryBudget("the memory budget of an inspection", MAX_OPERAND_BYTES);
        return new RegoEvaluation(Map.of(), BuiltinErrors.REJECT, scope, _ -> {}, hostMemory, Deadline.NONE);
    }

    /** Calls a built-in and returns the address of the result; 0 means undefined. */
    long call(RegoInstance guest, int id, long[] addresses) {
        var named = builtins.get(id);
        if (named == null) {
            throw TrapException.byHost("opa_builtin" + addresses.length + ": cannot find builtin " + id);
        }
        var texts = new ArrayList<byte[]>();
        long heap = 0;
        int remainingBytes = MAX_OPERAND_BYTES;
        for (long address : addresses) {
            var text = guest.dumpOperand(address, remainingBytes);
            remainingBytes -= text.length;
            heap += JsonTree.heapBytes(text);
            texts.add(text);
        }
        if (heap < SMALL_OPERANDS) {
            return call(guest, named, texts);
        }
        try (var _ = hostMemory.reserve(heap, deadline)) {
            return call(guest, named, texts);
        }
    }

    private long call(RegoInstance guest, NamedBuiltin named, List<byte[]> texts) {
        var arguments = new ArrayList<RegoValue>();
        for (var text : texts) {
            arguments.add(RegoInstance.value(text));
        }
        try {
            return guest.write(named.call(arguments, scope));
        } catch (BuiltinException e) {
            return switch (errors) {
                case REJECT -> throw TrapException.byHost(String.valueOf(e.getMessage()));
                case UNDEFINED -> 0;
            };
        }
    }
}
