package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.Builtins;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.wasm.Deadline;
import io.portcullis.wasm.TrapException;
import java.util.ArrayList;
import java.util.Map;
import java.util.Random;

/** What host functions find when a guest calls them: its builtins by number. One per instance. */
record RegoEvaluation(Map<Integer, NamedBuiltin> builtins, BuiltinErrors errors, EvaluationScope scope) {

    record NamedBuiltin(String name, Builtin builtin) {}

    static RegoEvaluation forInspection() {
        var scope = new EvaluationScope(0, new Random(0), Deadline.NONE, _ -> {});
        return new RegoEvaluation(Map.of(), BuiltinErrors.REJECT, scope);
    }

    /** The address of the result; 0 says undefined. */
    long call(RegoInstance guest, int id, long[] addresses) {
        var named = builtins.get(id);
        if (named == null) {
            throw TrapException.byHost("opa_builtin" + addresses.length + ": cannot find builtin " + id);
        }
        var arguments = new ArrayList<Value>();
        for (long address : addresses) {
            arguments.add(guest.read(address));
        }
        try {
            return guest.write(Builtins.call(named.name, named.builtin, arguments, scope));
        } catch (BuiltinException e) {
            return switch (errors) {
                case REJECT -> throw TrapException.byHost(String.valueOf(e.getMessage()));
                case UNDEFINED -> 0;
            };
        }
    }
}
