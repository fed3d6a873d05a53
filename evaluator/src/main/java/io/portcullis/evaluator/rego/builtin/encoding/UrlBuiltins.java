package io.portcullis.evaluator.rego.builtin.encoding;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.format.GoQuote;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.SetValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** {@code urlquery.*} and {@code uri.*}. */
public final class UrlBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "urlquery.encode", (operands, _) -> RegoValue.of(escape(operands.string(0))),
            "urlquery.decode", (operands, _) -> RegoValue.of(unescape(operands.string(0), true)),
            "urlquery.encode_object", (operands, _) -> encodeObject(operands),
            "urlquery.decode_object", (operands, _) -> decodeObject(operands.string(0)),
            "uri.parse", (operands, _) -> GoUrl.parse(operands.string(0)).toValue(),
            "uri.is_valid",
                    (operands, _) -> RegoValue.of(operands.value(0) instanceof StringValue(var text) && isValid(text)));

    private static final String UNRESERVED = "-_.~";
    private static final String HEX = "0123456789ABCDEF";

    private UrlBuiltins() {}

    private static boolean isValid(String text) {
        if (text.isEmpty()) {
            return false;
        }
        try {
            GoUrl.parse(text);
            return true;
        } catch (BuiltinException e) {
            return false;
        }
    }

    private static String escape(String text) {
        return escape(text, UNRESERVED, true);
    }

    static String escapePath(String text) {
        return escape(text, UNRESERVED + "$&+,/:;=@", false);
    }

    private static String escape(String text, String kept, boolean spaceIsPlus) {
        var out = new StringBuilder();
        for (byte b : EncodingBuiltins.utf8(text)) {
            char c = (char) (b & 0xff);
            if (isAlphanumeric(c) || kept.indexOf(c) >= 0) {
                out.append(c);
            } else if (c == ' ' && spaceIsPlus) {
                out.append('+');
            } else {
                out.append('%').append(HEX.charAt(c >> 4)).append(HEX.charAt(c & 15));
            }
        }
        return out.toString();
    }

    private static boolean isAlphanumeric(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }

    public static String unescape(String text, boolean plusIsSpace) {
        var out = new ByteArrayOutputStream();
        var bytes = EncodingBuiltins.utf8(text);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '%') {
                if (i + 2 >= bytes.length
                        || Character.digit(bytes[i + 1], 16) < 0
                        || Character.digit(bytes[i + 2], 16) < 0) {
                    throw new BuiltinException(
                            "invalid URL escape " + GoQuote.quote(text.substring(text.indexOf('%')), false));
                }
                out.write(Character.digit(bytes[i + 1], 16) << 4 | Character.digit(bytes[i + 2], 16));
                i += 2;
            } else {
                out.write(plusIsSpace && bytes[i] == '+' ? ' ' : bytes[i]);
            }
        }
        return EncodingBuiltins.text(out.toByteArray());
    }

    private static RegoValue encodeObject(Operands operands) {
        var pairs = new ArrayList<String>();
        operands.object(0).fields().forEach((key, value) -> {
            var name = key instanceof StringValue(var text) ? text : key.toString();
            for (var item : texts(value)) {
                pairs.add(escape(name) + "=" + escape(item));
            }
        });
        return RegoValue.of(String.join("&", pairs));
    }

    private static List<String> texts(RegoValue value) {
        return switch (value) {
            case StringValue(var text) -> List.of(text);
            case ArrayValue(var items) -> texts(items);
            case SetValue(var items) -> texts(items);
            case RegoValue _ -> throw notTexts();
        };
    }

    private static List<String> texts(Collection<RegoValue> items) {
        var texts = new ArrayList<String>();
        for (var item : items) {
            if (!(item instanceof StringValue(var text))) {
                throw notTexts();
            }
            texts.add(text);
        }
        return texts;
    }

    private static BuiltinException notTexts() {
        return new BuiltinException("operand 1 values must be string, array[string], or set[string]");
    }

    private static RegoValue decodeObject(String query) {
        var result = new TreeMap<String, List<RegoValue>>();
        for (var pair : query.split("&", -1)) {
            if (pair.contains(";")) {
                throw new BuiltinException("invalid semicolon separator in query");
            }
            if (!pair.isEmpty()) {
                int equals = pair.indexOf('=');
                var key = unescape(equals < 0 ? pair : pair.substring(0, equals), true);
                var value = unescape(equals < 0 ? "" : pair.substring(equals + 1), true);
                result.computeIfAbsent(key, _ -> new ArrayList<>()).add(RegoValue.of(value));
            }
        }
        var fields = new TreeMap<String, RegoValue>();
        result.forEach((key, values) -> fields.put(key, RegoValue.array(values)));
        return RegoValue.object((Map<String, RegoValue>) fields);
    }
}
