package io.portcullis.evaluator.rego;

import io.portcullis.evaluator.PolicyLoadException;
import io.portcullis.evaluator.PolicyLoadException.Reason;
import io.portcullis.evaluator.json.JsonException;
import io.portcullis.evaluator.json.JsonScanner;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The numbers that a module uses for the host's built-ins, and its entry points. */
record RegoTables(Map<Integer, String> builtins, Map<String, Integer> entrypoints) {

    static RegoTables parse(byte[] builtins, byte[] entrypoints) {
        try {
            var names = new HashMap<Integer, String>();
            table(builtins).forEach((name, id) -> names.put(id, name));
            return new RegoTables(Map.copyOf(names), table(entrypoints));
        } catch (JsonException e) {
            throw new PolicyLoadException(
                    Reason.INVALID_MODULE, "cannot read the tables of the Rego module: " + e.getMessage(), e);
        }
    }

    private static Map<String, Integer> table(byte[] json) {
        var table = new TreeMap<String, Integer>();
        var in = new JsonScanner(json);
        in.enterObject("a map");
        for (var key = in.nextKey(); key != null; key = in.nextKey()) {
            table.put(key, in.readU16());
        }
        in.finish();
        return table;
    }
}
