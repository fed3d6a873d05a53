package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import io.portcullis.wasm.Instance;
import io.portcullis.wasm.TrapException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The OPA ABI as methods; values are addresses in the guest's heap. Confined to the thread of the instance. */
record RegoInstance(Instance instance) {

    private static final int CHUNK = 4096;
    private static final long MAX_TEXT_BYTES = 8L << 20;
    private static final int ENTRYPOINT = 0;
    private static final int FORMAT_JSON = 0;

    long call(String function, long... arguments) {
        var results = instance.call(function, arguments);
        return results.length == 0 ? 0 : unsigned(results[0]);
    }

    /** Creates a value from JSON. */
    long parseJson(byte[] json) {
        long value = call("opa_json_parse", store(json), json.length);
        if (value == 0) {
            throw TrapException.byHost("Rego guest cannot parse a document of its host");
        }
        return value;
    }

    /** Returns the value as JSON; sets become lists. */
    byte[] dump(long value) {
        return text(call("opa_json_dump", value));
    }

    /** Returns the text of a value. Keeps sets if the module supports it. */
    byte[] dumpOperand(long address, long limit) {
        var notation = instance.exports("opa_value_dump") ? "opa_value_dump" : "opa_json_dump";
        return text(call(notation, address), limit);
    }

    /** Parses the result of {@link #dumpOperand}. */
    static RegoValue value(byte[] text) {
        try {
            return ValueParser.parse(new String(text, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw TrapException.byHost("cannot read an operand of a builtin: " + e.getMessage());
        }
    }

    long write(RegoValue value) {
        boolean withSets = instance.exports("opa_value_parse");
        var bytes = (withSets ? ValueWriter.rego(value) : ValueWriter.json(value)).getBytes(StandardCharsets.UTF_8);
        return call(withSets ? "opa_value_parse" : "opa_json_parse", store(bytes), bytes.length);
    }

    /**
     * Evaluates the first entry point and returns JSON. Uses one call if the module supports it, otherwise several
     * calls.
     */
    byte[] evaluate(long data, byte[] input) {
        if (instance.exports("opa_eval")) {
            long address = store(input);
            long heap = call("opa_heap_ptr_get");
            return text(call("opa_eval", 0, ENTRYPOINT, data, address, input.length, heap, FORMAT_JSON));
        }
        long value = parseJson(input);
        long context = call("opa_eval_ctx_new");
        call("opa_eval_ctx_set_input", context, value);
        call("opa_eval_ctx_set_data", context, data);
        call("opa_eval_ctx_set_entrypoint", context, ENTRYPOINT);
        call("eval", context);
        return dump(call("opa_eval_ctx_get_result", context));
    }

    /** Reads zero-terminated bytes at an address. */
    byte[] text(long address) {
        return text(address, MAX_TEXT_BYTES);
    }

    /** Reads zero-terminated text for people at an address and truncates it at the limit. */
    String line(long address, int limit) {
        var memory = instance.memory();
        var bytes = memory.read(address, Math.min(limit, Math.max(1, memory.size() - address)));
        int end = 0;
        while (end < bytes.length && bytes[end] != 0) {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8);
    }

    private byte[] text(long address, long limit) {
        var memory = instance.memory();
        var out = new ByteArrayOutputStream();
        for (long at = address; ; at += CHUNK) {
            var chunk = memory.read(at, Math.min(CHUNK, Math.max(1, memory.size() - at)));
            int end = 0;
            while (end < chunk.length && chunk[end] != 0) {
                end++;
            }
            out.write(chunk, 0, end);
            if (end < chunk.length) {
                return out.toByteArray();
            }
            if (out.size() > limit) {
                throw new TrapException(
                        TrapException.Kind.LIMIT,
                        "text from the Rego guest is longer than the limit of " + limit
                                + " bytes, which cannot be changed",
                        List.of(),
                        null);
            }
        }
    }

    private long store(byte[] bytes) {
        long address = call("opa_malloc", bytes.length);
        instance.memory().write(address, bytes);
        return address;
    }

    static long unsigned(long i32) {
        return i32 & 0xffff_ffffL;
    }
}
