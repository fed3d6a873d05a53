package io.portcullis.evaluator.rego.value;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * An immutable Rego value. The order of types is null, boolean, number, string, array, object, set. Numbers are equal
 * if their values are equal, regardless of notation.
 */
public sealed interface RegoValue extends Comparable<RegoValue> {

    record NullValue() implements RegoValue {
        public static final NullValue NULL = new NullValue();

        @Override
        public String toString() {
            return ValueWriter.rego(this);
        }
    }

    record BooleanValue(boolean value) implements RegoValue {
        public static final BooleanValue TRUE = new BooleanValue(true);
        public static final BooleanValue FALSE = new BooleanValue(false);

        @Override
        public String toString() {
            return ValueWriter.rego(this);
        }
    }

    /** Keeps the text, because the notation decides whether a number is an integer or a float. */
    record NumberValue(String text, BigDecimal value) implements RegoValue {

        public boolean isWrittenAsFloat() {
            return text.indexOf('.') >= 0 || text.indexOf('e') >= 0 || text.indexOf('E') >= 0;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof NumberValue number && value.compareTo(number.value) == 0;
        }

        @Override
        public int hashCode() {
            return value.stripTrailingZeros().hashCode();
        }

        @Override
        public String toString() {
            return text;
        }
    }

    record StringValue(String value) implements RegoValue {
        @Override
        public String toString() {
            return ValueWriter.rego(this);
        }
    }

    record ArrayValue(List<RegoValue> items) implements RegoValue {
        public ArrayValue {
            items = List.copyOf(items);
        }

        @Override
        public String toString() {
            return ValueWriter.rego(this);
        }
    }

    record ObjectValue(NavigableMap<RegoValue, RegoValue> fields) implements RegoValue {
        public ObjectValue {
            fields = Collections.unmodifiableNavigableMap(fields);
        }

        @Override
        public String toString() {
            return ValueWriter.rego(this);
        }
    }

    record SetValue(NavigableSet<RegoValue> items) implements RegoValue {
        public SetValue {
            items = Collections.unmodifiableNavigableSet(items);
        }

        @Override
        public String toString() {
            return ValueWriter.rego(this);
        }
    }

    /**
     * The maximum length of a number. Longer numbers are rejected, because parsing time grows with the square of the
     * length.
     */
    int MAX_NUMBER_LENGTH = 4_096;

    static RegoValue of(boolean value) {
        return value ? BooleanValue.TRUE : BooleanValue.FALSE;
    }

    static RegoValue of(String value) {
        return new StringValue(value);
    }

    static RegoValue of(long value) {
        return new NumberValue(Long.toString(value), BigDecimal.valueOf(value));
    }

    static RegoValue number(String text) {
        return new NumberValue(text, new BigDecimal(text));
    }

    static RegoValue array(RegoValue... items) {
        return new ArrayValue(Arrays.asList(items));
    }

    static RegoValue array(List<RegoValue> items) {
        return new ArrayValue(items);
    }

    static RegoValue strings(Collection<String> items) {
        return new ArrayValue(items.stream().map(RegoValue::of).toList());
    }

    static RegoValue set(Collection<RegoValue> items) {
        return new SetValue(new TreeSet<>(items));
    }

    static RegoValue object(Map<String, RegoValue> fields) {
        var map = new TreeMap<RegoValue, RegoValue>();
        fields.forEach((key, value) -> map.put(of(key), value));
        return new ObjectValue(map);
    }

    static RegoValue object(NavigableMap<RegoValue, RegoValue> fields) {
        return new ObjectValue(fields);
    }

    /** The type name as {@code type_name} returns it. */
    default String typeName() {
        return switch (this) {
            case NullValue _ -> "null";
            case BooleanValue _ -> "boolean";
            case NumberValue _ -> "number";
            case StringValue _ -> "string";
            case ArrayValue _ -> "array";
            case ObjectValue _ -> "object";
            case SetValue _ -> "set";
        };
    }

    private int rank() {
        return switch (this) {
            case NullValue _ -> 0;
            case BooleanValue _ -> 1;
            case NumberValue _ -> 2;
            case StringValue _ -> 3;
            case ArrayValue _ -> 4;
            case ObjectValue _ -> 5;
            case SetValue _ -> 6;
        };
    }

    @Override
    default int compareTo(RegoValue other) {
        if (rank() != other.rank()) {
            return Integer.compare(rank(), other.rank());
        }
        return switch (this) {
            case NullValue _ -> 0;
            case BooleanValue a -> Boolean.compare(a.value, ((BooleanValue) other).value);
            case NumberValue a -> a.value.compareTo(((NumberValue) other).value);
            case StringValue a -> compareStrings(a.value, ((StringValue) other).value);
            case ArrayValue a -> compareAll(a.items, ((ArrayValue) other).items);
            case SetValue a -> compareAll(a.items, ((SetValue) other).items);
            case ObjectValue a -> compareFields(a.fields, ((ObjectValue) other).fields);
        };
    }

    /** Compares by UTF-8 bytes, as Go does. */
    private static int compareStrings(String a, String b) {
        int common = Math.min(a.length(), b.length());
        for (int i = 0; i < common; i++) {
            if (a.charAt(i) != b.charAt(i)) {
                return Arrays.compareUnsigned(a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));
            }
        }
        return Integer.compare(a.length(), b.length());
    }

    private static int compareAll(Collection<RegoValue> a, Collection<RegoValue> b) {
        Iterator<RegoValue> left = a.iterator();
        Iterator<RegoValue> right = b.iterator();
        while (left.hasNext() && right.hasNext()) {
            int order = left.next().compareTo(right.next());
            if (order != 0) {
                return order;
            }
        }
        return Boolean.compare(left.hasNext(), right.hasNext());
    }

    private static int compareFields(NavigableMap<RegoValue, RegoValue> a, NavigableMap<RegoValue, RegoValue> b) {
        var left = a.entrySet().iterator();
        var right = b.entrySet().iterator();
        var byKeyThenValue =
                Map.Entry.<RegoValue, RegoValue>comparingByKey().thenComparing(Map.Entry.comparingByValue());
        Comparator<Map.Entry<RegoValue, RegoValue>> order = byKeyThenValue;
        while (left.hasNext() && right.hasNext()) {
            int result = order.compare(left.next(), right.next());
            if (result != 0) {
                return result;
            }
        }
        return Boolean.compare(left.hasNext(), right.hasNext());
    }
}
