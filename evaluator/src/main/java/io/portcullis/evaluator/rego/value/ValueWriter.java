package io.portcullis.evaluator.rego.value;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import io.portcullis.evaluator.rego.value.RegoValue.NumberValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import io.portcullis.wasm.TrapException;
import java.util.Collection;
import java.util.List;

/** Writes values as text. */
public final class ValueWriter {

    /**
     * The maximum length of the text. No result of a built-in is larger; shared parts of a value are written at each
     * occurrence.
     */
    private static final int MAX_LENGTH = 16 << 20;

    private final StringBuilder out = new StringBuilder();
    private final boolean json;

    private ValueWriter(boolean json) {
        this.json = json;
    }

    /** Writes Rego's notation, with spaces after commas and colons as OPA prints it; sets stay sets. */
    public static String rego(RegoValue value) {
        var writer = new ValueWriter(false);
        writer.write(value);
        return writer.out.toString();
    }

    /** Writes JSON without spaces. Sets become arrays; keys that are not strings become their text. */
    public static String json(RegoValue value) {
        var writer = new ValueWriter(true);
        writer.write(value);
        return writer.out.toString();
    }

    /** @throws TrapException if the text becomes too long */
    private void write(RegoValue value) {
        if (out.length() > MAX_LENGTH) {
            throw new TrapException(
                    TrapException.Kind.LIMIT,
                    "a value of a built-in is longer than the limit of " + MAX_LENGTH
                            + " characters, which cannot be changed",
                    List.of(),
                    null);
        }
        switch (value) {
            case NullValue _ -> out.append("null");
            case BooleanValue(var flag) -> out.append(flag);
            case NumberValue number -> out.append(number.text());
            case StringValue(var text) -> quote(text);
            case ArrayValue(var items) -> sequence('[', items, ']');
            case SetValue(var items) -> set(items);
            case ObjectValue object -> object(object);
        }
    }

    private void set(Collection<RegoValue> items) {
        if (json) {
            sequence('[', items, ']');
        } else if (items.isEmpty()) {
            out.append("set()");
        } else {
            sequence('{', items, '}');
        }
    }

    private void sequence(char open, Collection<RegoValue> items, char close) {
        out.append(open);
        var separator = "";
        for (var item : items) {
            out.append(separator);
            write(item);
            separator = json ? "," : ", ";
        }
        out.append(close);
    }

    private void object(ObjectValue object) {
        out.append('{');
        var separator = "";
        for (var field : object.fields().entrySet()) {
            out.append(separator);
            writeKey(field.getKey());
            out.append(json ? ":" : ": ");
            write(field.getValue());
            separator = json ? "," : ", ";
        }
        out.append('}');
    }

    private void writeKey(RegoValue key) {
        if (json && !(key instanceof StringValue)) {
            quote(json(key));
        } else {
            write(key);
        }
    }

    private void quote(String text) {
        out.append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, out);
        out.append('"');
    }
}
