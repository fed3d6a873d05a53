package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.Value;
import io.portcullis.evaluator.rego.value.Value.ArrayValue;
import io.portcullis.evaluator.rego.value.Value.NumberValue;
import io.portcullis.evaluator.rego.value.Value.ObjectValue;
import io.portcullis.evaluator.rego.value.Value.SetValue;
import io.portcullis.evaluator.rego.value.Value.StringValue;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** JSON Patch (RFC 6902) on Rego values: paths may be arrays of keys, and sets are addressed by their members. */
final class JsonPatchOperations {

    private JsonPatchOperations() {}

    static Value apply(Value document, List<Value> operations, EvaluationScope scope) {
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

    private static Value apply(Value document, ObjectValue operation, EvaluationScope scope) {
        var path = path(attribute(operation, "path"));
        if (!(attribute(operation, "op") instanceof StringValue(var op))) {
            throw new BuiltinException("attribute 'op' must be a string but found: "
                    + attribute(operation, "op").typeName());
        }
        scope.work(10L * size(document, EvaluationScope.MAX_RESULT));
        return switch (op) {
            case "add" -> add(document, path, attribute(operation, "value"));
            case "remove" -> remove(document, path);
            case "replace" -> add(remove(document, path), path, attribute(operation, "value"));
            case "move" -> {
                var from = path(attribute(operation, "from"));
                yield add(remove(document, from), path, read(document, from));
            }
            case "copy" -> {
                // A copy of a part into itself doubles the document.
                var part = read(document, path(attribute(operation, "from")));
                scope.produce(size(part, EvaluationScope.MAX_RESULT));
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

    /** How many values there are in a value, itself included; counts no further than {@code limit}. */
    private static long size(Value value, long limit) {
        java.util.Collection<Value> parts = switch (value) {
            case ArrayValue(var items) -> items;
            case SetValue(var items) -> items;
            case ObjectValue object -> object.fields().values();
            case Value _ -> List.of();
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

    private static Value attribute(ObjectValue operation, String name) {
        var value = operation.fields().get(Value.of(name));
        if (value == null) {
            throw new BuiltinException("missing required attribute '" + name + "'");
        }
        return value;
    }

    private static List<Value> path(Value value) {
        return switch (value) {
            case ArrayValue(var items) -> items;
            case StringValue(var text) -> {
                if (text.isEmpty()) {
                    yield List.of();
                }
                var keys = new ArrayList<Value>();
                var trimmed = text.startsWith("/") ? text.substring(1) : text;
                for (var key : trimmed.split("/", -1)) {
                    keys.add(Value.of(key.replace("~1", "/").replace("~0", "~")));
                }
                yield keys;
            }
            case Value other ->
                throw new BuiltinException(
                        "must be one of {set, array} containing string paths or array of path segments but got "
                                + other.typeName());
        };
    }

    private static Value read(Value document, List<Value> path) {
        var value = document;
        for (var key : path) {
            value = child(value, key);
        }
        return value;
    }

    private static Value child(Value parent, Value key) {
        var child = switch (parent) {
            case ObjectValue object -> object.fields().get(key);
            case ArrayValue(var items) -> items.get(index(key, items.size()));
            case SetValue(var items) -> items.contains(key) ? key : null;
            case Value _ -> null;
        };
        return orMissing(child, key);
    }

    private static Value orMissing(@Nullable Value child, Value key) {
        if (child == null) {
            throw new BuiltinException("path " + key + " does not exist in the document");
        }
        return child;
    }

    private static Value add(Value document, List<Value> path, Value value) {
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
                int at = last.equals(Value.of("-")) ? items.size() : index(last, items.size() + 1);
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
            case Value scalar -> throw noContainer(scalar);
        });
    }

    private static Value remove(Value document, List<Value> path) {
        if (path.isEmpty()) {
            return Value.NullValue.NULL;
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
                case Value scalar -> throw noContainer(scalar);
            };
        });
    }

    /** The document with the value at the path replaced by what the change makes of it. */
    private static Value change(Value document, List<Value> path, Function<Value, Value> change) {
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
            case Value scalar -> throw noContainer(scalar);
        };
    }

    private static int index(Value key, int size) {
        int index = switch (key) {
            case NumberValue number
            when number.value().stripTrailingZeros().scale() <= 0 ->
                number.value().abs().intValue();
            case StringValue(var text) when text.matches("0|[1-9][0-9]{0,8}") -> Integer.parseInt(text);
            case Value other -> throw new BuiltinException("invalid array index " + other);
        };
        if (index >= size) {
            throw new BuiltinException("index " + index + " out of array bounds");
        }
        return index;
    }

    private static BuiltinException noContainer(Value scalar) {
        return new BuiltinException("cannot address into a value of type " + scalar.typeName());
    }
}
