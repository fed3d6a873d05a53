package io.portcullis.evaluator.rego.builtin.net;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** {@code net.cidr_*}: arithmetic on addresses, without network access. */
public final class NetBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "net.cidr_is_valid",
                    (operands, _) -> RegoValue.of(operands.value(0) instanceof StringValue(var text)
                            && Cidr.parse(text).isPresent()),
            "net.cidr_expand", NetBuiltins::expand,
            "net.cidr_merge", NetBuiltins::merge,
            "net.cidr_contains_matches", NetBuiltins::containsMatches);

    /** The size of an address in a result. */
    private static final long ADDRESS_SIZE = 32;

    private NetBuiltins() {}

    private static Cidr cidr(String text) {
        return Cidr.parse(text).orElseThrow(() -> new BuiltinException("invalid CIDR address: " + text));
    }

    private static RegoValue expand(Operands operands, EvaluationScope scope) {
        var cidr = cidr(operands.string(0));
        var addresses = new TreeSet<RegoValue>();
        for (var address = cidr.first(); address.compareTo(cidr.last()) <= 0; address = address.add(BigInteger.ONE)) {
            scope.countResult(ADDRESS_SIZE);
            addresses.add(RegoValue.of(cidr.text(address)));
        }
        return new SetValue(addresses);
    }

    private static RegoValue merge(Operands operands, EvaluationScope scope) {
        var ranges = new ArrayList<Cidr.Range>();
        for (var item : operands.collection(0)) {
            if (!(item instanceof StringValue(var text))) {
                throw new BuiltinException("element must be string");
            }
            ranges.add(Cidr.rangeOf(text));
        }
        ranges.sort(Comparator.comparingInt(Cidr.Range::bits)
                .thenComparing(Cidr.Range::last)
                .thenComparing(Cidr.Range::first));
        for (int i = ranges.size() - 1; i > 0; i--) {
            scope.countSteps(10 + (ranges.size() - i) / 16L);
            var joined = ranges.get(i - 1).join(ranges.get(i));
            if (joined.isPresent()) {
                ranges.set(i - 1, joined.get());
                ranges.remove(i);
            }
        }
        var merged = new TreeSet<RegoValue>();
        ranges.forEach(range -> range.blocks().forEach(block -> merged.add(RegoValue.of(block))));
        return new SetValue(merged);
    }

    private static RegoValue containsMatches(Operands operands, EvaluationScope scope) {
        var matches = new TreeSet<RegoValue>();
        each(
                operands.value(0),
                (outer, outerKey) -> each(operands.value(1), (inner, innerKey) -> {
                    scope.countSteps(200);
                    if (cidr(outer).contains(inner)) {
                        scope.countResult(ADDRESS_SIZE);
                        matches.add(RegoValue.array(outerKey, innerKey));
                    }
                }));
        return new SetValue(matches);
    }

    /** Calls the consumer for each CIDR of the operand with its name in the result. */
    private static void each(RegoValue operand, BiConsumer<String, RegoValue> consumer) {
        switch (operand) {
            case StringValue(var text) -> consumer.accept(text, operand);
            case ArrayValue(var items) -> {
                for (int i = 0; i < items.size(); i++) {
                    consumer.accept(element(items.get(i)), RegoValue.of(i));
                }
            }
            case SetValue(var items) -> items.forEach(item -> consumer.accept(element(item), item));
            case ObjectValue object -> object.fields().forEach((key, item) -> consumer.accept(element(item), key));
            case RegoValue _ -> {}
        }
    }

    private static String element(RegoValue value) {
        var first = value instanceof ArrayValue(List<RegoValue> items) && !items.isEmpty() ? items.getFirst() : value;
        if (first instanceof StringValue(var text)) {
            return text;
        }
        throw new BuiltinException("operand 1: element must be string or non-empty array");
    }
}
