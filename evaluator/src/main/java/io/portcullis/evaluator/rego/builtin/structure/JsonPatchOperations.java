package io.portcullis.evaluator.rego.builtin.structure;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Applies JSON Patch (RFC 6902) to Rego values. Paths may be arrays of keys; the members of a set are its keys. */
final class JsonPatchOperations {

    private JsonPatchOperations() {}

    static RegoValue apply(RegoValue document, List<RegoValue> operations, EvaluationScope scope) {
        var result = document;
        for (var operation : operations) {
            if (!(operation instanceof ObjectValue object)) {
                throw new BuiltinException(
                        "must be an array of JSON-Patch objects, but at least one element is not an object");
            }
            result = apply(result, object, scope);
        }
        return result;
    }

    private static RegoValue apply(RegoValue document, ObjectValue operation, EvaluationScope scope) {
        var path = path(attribute(operation, "path"));
        if (!(attribute(operation, "op") instanceof StringValue(var op))) {
            throw new BuiltinException("attribute 'op' must be a string but found: "
                    + attribute(operation, "op").typeName());
        }
        scope.countSteps(10L * size(document, EvaluationScope.MAX_RESULT));
        return switch (op) {
            case "add" -> add(document, path, attribute(operation, "value"));
            case "remove" -> remove(document, path);
            case "replace" -> add(remove(document, path), path, attribute(operation, "value"));
            case "move" -> {
                var from = path(attribute(operation, "from"));
                yield add(remove(document, from), path, read(document, from));
            }
            case "copy" -> {
                // Count the size, because copying a part into itself doubles the document.
                var part = read(document, path(attribute(operation, "from")));
                scope.countResult(size(part, EvaluationScope.MAX_RESULT));
                yield add(document, path, part);
            }
            case "test" -> {
                if (!read(document, path).equals(attribute(operation, "value"))) {
                    throw new BuiltinException("the value at the path is not the tested value");
                }
                yield document;
            }
            default -> throw new BuiltinException("unrecognized op: '" + op + "'");
        };
    }

    /** Returns the number of values in a value, including itself; stops counting at {@code limit}. */
    private static long size(RegoValue value, long limit) {
        java.util.Collection<RegoValue> parts = switch (value) {
            case ArrayValue(var items) -> items;
            case SetValue(var items) -> items;
            case ObjectValue object -> object.fields().values();
            case RegoValue _ -> List.of();
        };
        long size = 1;
        for (var part : parts) {
            if (size > limit) {
                return size;
            }
            size += size(part, limit - size);
        }
        return size;
    }

    private static RegoValue attribute(ObjectValue operation, String name) {
        var value = operation.fields().get(RegoValue.of(name));
        if (value == null) {
            throw new BuiltinException("missing required attribute '" + name + "'");
        }
        return value;
    }

    private static List<RegoValue> path(RegoValue value) {
        return switch (value) {
            case ArrayValue(var items) -> items;
            case StringValue(var text) -> {
                if (text.isEmpty()) {
                    yield List.of();
                }
                var keys = new ArrayList<RegoValue>();
                var trimmed = text.startsWith("/") ? text.substring(1) : text;
                for (var key : trimmed.split("/", -1)) {
                    keys.add(RegoValue.of(key.replace("~1", "/").replace("~0", "~")));
                }
                yield keys;
            }
            case RegoValue other ->
                throw new BuiltinException(
                        "must be one of {set, array} containing string paths or array of path segments but got "
                                + other.typeName());
        };
    }

    private static RegoValue read(RegoValue document, List<RegoValue> path) {
        var value = document;
        for (var key : path) {
            value = child(value, key);
        }
        return value;
    }

    private static RegoValue child(RegoValue parent, RegoValue key) {
        var child = switch (parent) {
            case ObjectValue object -> object.fields().get(key);
            case ArrayValue(var items) -> items.get(index(key, items.size()));
            case SetValue(var items) -> items.contains(key) ? key : null;
            case RegoValue _ -> null;
        };
        return orMissing(child, key);
    }

    private static RegoValue orMissing(@Nullable RegoValue child, RegoValue key) {
        if (child == null) {
            throw new BuiltinException("path " + key + " does not exist in the document");
        }
        return child;
    }

    private static RegoValue add(RegoValue document, List<RegoValue> path, RegoValue value) {
        if (path.isEmpty()) {
            return value;
        }
        var last = path.getLast();
        return change(document, path.subList(0, path.size() - 1), parent -> switch (parent) {
            case ObjectValue object -> {
                var fields = new TreeMap<>(object.fields());
                fields.put(last, value);
                yield new ObjectValue(fields);
            }
            case ArrayValue(var items) -> {
                var changed = new ArrayList<>(items);
                int at = last.equals(RegoValue.of("-")) ? items.size() : index(last, items.size() + 1);
                changed.add(at, value);
                yield new ArrayValue(changed);
            }
            case SetValue(var items) -> {
                if (!last.equals(value)) {
                    throw new BuiltinException("set key " + last + " does not equal value to be inserted " + value);
                }
                var changed = new TreeSet<>(items);
                changed.add(value);
                yield new SetValue(changed);
            }
            case RegoValue scalar -> throw noContainer(scalar);
        });
    }

    private static RegoValue remove(RegoValue document, List<RegoValue> path) {
        if (path.isEmpty()) {
            return RegoValue.NullValue.NULL;
        }
        var last = path.getLast();
        return change(document, path.subList(0, path.size() - 1), parent -> {
            child(parent, last);
            return switch (parent) {
                case ObjectValue object -> {
                    var fields = new TreeMap<>(object.fields());
                    fields.remove(last);
                    yield new ObjectValue(fields);
                }
                case ArrayValue(var items) -> {
                    var changed = new ArrayList<>(items);
                    changed.remove(index(last, items.size()));
                    yield new ArrayValue(changed);
                }
                case SetValue(var items) -> {
                    var changed = new TreeSet<>(items);
                    changed.remove(last);
                    yield new SetValue(changed);
                }
                case RegoValue scalar -> throw noContainer(scalar);
            };
        });
    }

    /** Returns the document with the value at the path replaced by the result of the change. */
    private static RegoValue change(RegoValue document, List<RegoValue> path, Function<RegoValue, RegoValue> change) {
        if (path.isEmpty()) {
            return change.apply(document);
        }
        var key = path.getFirst();
        var changed = change(child(document, key), path.subList(1, path.size()), change);
        return switch (document) {
            case ObjectValue object -> {
                var fields = new TreeMap<>(object.fields());
                fields.put(key, changed);
                yield new ObjectValue(fields);
            }
            case ArrayValue(var items) -> {
                var list = new ArrayList<>(items);
                list.set(index(key, items.size()), changed);
                yield new ArrayValue(list);
            }
            case SetValue(var items) -> {
                var set = new TreeSet<>(items);
                set.remove(key);
                set.add(changed);
                yield new SetValue(set);
            }
            case RegoValue scalar -> throw noContainer(scalar);
        };
    }

    private static int index(RegoValue key, int size) {
        int index = switch (key) {
            case NumberValue number
            when number.value().stripTrailingZeros().scale() <= 0 ->
                number.value().abs().intValue();
            case StringValue(var text) when text.matches("0|[1-9][0-9]{0,8}") -> Integer.parseInt(text);
            case RegoValue other -> throw new BuiltinException("invalid array index " + other);
        };
        if (index >= size) {
            throw new BuiltinException("index " + index + " out of array bounds");
        }
        return index;
    }

    private static BuiltinException noContainer(RegoValue scalar) {
        return new BuiltinException("cannot address into a value of type " + scalar.typeName());
    }
}
