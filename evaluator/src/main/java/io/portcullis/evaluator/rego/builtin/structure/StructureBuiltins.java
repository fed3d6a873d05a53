package io.portcullis.evaluator.rego.builtin.structure;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Built-ins for arrays, objects, sets, graphs and ranges. */
public final class StructureBuiltins {

    public static final Map<String, Builtin> ALL = Map.ofEntries(
            Map.entry(
                    "object.subset",
                    (operands, scope) -> RegoValue.of(isSubset(operands.value(0), operands.value(1), scope))),
            Map.entry(
                    "object.keys",
                    (operands, _) -> RegoValue.set(operands.object(0).fields().keySet())),
            Map.entry(
                    "array.reverse",
                    (operands, _) -> RegoValue.array(operands.array(0).reversed())),
            Map.entry(
                    "json.patch",
                    (operands, scope) -> JsonPatchOperations.apply(operands.value(0), operands.array(1), scope)),
            Map.entry("graph.reachable_paths", StructureBuiltins::reachablePaths),
            Map.entry("numbers.range_step", StructureBuiltins::range),
            Map.entry("cast_array", (operands, _) -> RegoValue.array(List.copyOf(operands.collection(0)))),
            Map.entry("cast_set", (operands, _) -> RegoValue.set(operands.collection(0))),
            Map.entry("cast_string", (operands, _) -> cast(operands, StringValue.class, "string")),
            Map.entry("cast_boolean", (operands, _) -> cast(operands, BooleanValue.class, "boolean")),
            Map.entry("cast_null", (operands, _) -> cast(operands, NullValue.class, "null")),
            Map.entry("cast_object", (operands, _) -> cast(operands, ObjectValue.class, "object")));

    /** The size of a number in a result; it needs much more memory than its digits. */
    private static final long NUMBER_SIZE = 16;

    private StructureBuiltins() {}

    private static RegoValue cast(Operands operands, Class<? extends RegoValue> type, String name) {
        if (type.isInstance(operands.value(0))) {
            return operands.value(0);
        }
        throw operands.wrongType(0, name);
    }

    private static boolean isSubset(RegoValue all, RegoValue part, EvaluationScope scope) {
        if (all instanceof ObjectValue a && part instanceof ObjectValue b) {
            return containsFields(a, b, scope);
        }
        if (all instanceof SetValue(var a) && part instanceof SetValue(var b)) {
            return a.containsAll(b);
        }
        if (all instanceof ArrayValue(var a) && part instanceof ArrayValue(var b)) {
            return containsList(a, b, scope);
        }
        if (all instanceof ArrayValue(var a) && part instanceof SetValue(var b)) {
            return !a.isEmpty() && new TreeSet<>(a).containsAll(b);
        }
        throw new BuiltinException("both arguments object.subset must be of the same type or array and set");
    }

    private static boolean containsList(List<RegoValue> all, List<RegoValue> part, EvaluationScope scope) {
        for (int start = 0; start + part.size() <= all.size(); start++) {
            int matched = 0;
            while (matched < part.size() && all.get(start + matched).equals(part.get(matched))) {
                scope.countSteps(10);
                matched++;
            }
            if (matched == part.size()) {
                return true;
            }
            scope.countSteps(10);
        }
        return false;
    }

    private static boolean containsFields(ObjectValue all, ObjectValue part, EvaluationScope scope) {
        for (var field : part.fields().entrySet()) {
            scope.countSteps(10);
            var found = all.fields().get(field.getKey());
            if (found == null || !(found.equals(field.getValue()) || isNestedSubset(found, field.getValue(), scope))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNestedSubset(RegoValue all, RegoValue part, EvaluationScope scope) {
        boolean sameContainer = (all instanceof ObjectValue && part instanceof ObjectValue)
                || (all instanceof SetValue && part instanceof SetValue)
                || (all instanceof ArrayValue && part instanceof ArrayValue);
        return sameContainer && isSubset(all, part, scope);
    }

    private static RegoValue range(Operands operands, EvaluationScope scope) {
        var from = operands.bigInteger(0);
        var to = operands.bigInteger(1);
        var step = operands.bigInteger(2);
        if (step.signum() <= 0) {
            throw new BuiltinException("step must be a positive integer");
        }
        var numbers = new ArrayList<RegoValue>();
        int direction = from.compareTo(to) <= 0 ? 1 : -1;
        var delta = direction > 0 ? step : step.negate();
        for (BigInteger i = from; i.compareTo(to) * direction <= 0; i = i.add(delta)) {
            scope.countResult(NUMBER_SIZE);
            numbers.add(RegoValue.number(i.toString()));
        }
        return RegoValue.array(numbers);
    }

    private static RegoValue reachablePaths(Operands operands, EvaluationScope scope) {
        var graph = operands.object(0);
        var paths = new TreeSet<RegoValue>();
        for (var start : operands.collection(1)) {
            var edges = graph.fields().get(start);
            if (edges == null) {
                continue;
            }
            var neighbours = neighbours(edges);
            if (neighbours.isEmpty()) {
                paths.add(RegoValue.array(start));
            }
            for (var neighbour : neighbours) {
                walk(graph, neighbour, List.of(start), Set.of(start), paths, scope);
            }
        }
        return new SetValue(paths);
    }

    private static void walk(
            ObjectValue graph,
            RegoValue node,
            List<RegoValue> path,
            Set<RegoValue> visited,
            Set<RegoValue> paths,
            EvaluationScope scope) {
        scope.countSteps(50L * (path.size() + 1));
        scope.countResult(path.size() + 1L);
        var edges = graph.fields().get(node);
        if (edges == null) {
            paths.add(RegoValue.array(path));
            return;
        }
        var extended = new ArrayList<>(path);
        extended.add(node);
        var neighbours = neighbours(edges);
        if (neighbours.isEmpty()) {
            paths.add(RegoValue.array(extended));
            return;
        }
        var seen = new TreeSet<>(visited);
        seen.add(node);
        for (var neighbour : neighbours) {
            if (seen.contains(neighbour)) {
                paths.add(RegoValue.array(extended));
            } else {
                walk(graph, neighbour, extended, seen, paths, scope);
            }
        }
    }

    private static Collection<RegoValue> neighbours(RegoValue edges) {
        return switch (edges) {
            case ArrayValue(var items) -> items;
            case SetValue(var items) -> items;
            case RegoValue _ -> List.of();
        };
    }
}
