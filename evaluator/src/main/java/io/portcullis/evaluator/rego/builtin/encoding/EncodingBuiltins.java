package io.portcullis.evaluator.rego.builtin.encoding;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.EvaluationScope;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.format.GoJsonText;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.BooleanValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import io.portcullis.evaluator.rego.value.ValueWriter;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Map;

/** Built-ins for base64, hexadecimal and JSON. */
public final class EncodingBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "base64url.encode_no_pad",
                    (operands, _) -> RegoValue.of(
                            Base64.getUrlEncoder().withoutPadding().encodeToString(utf8(operands.string(0)))),
            "hex.encode", (operands, _) -> RegoValue.of(HexFormat.of().formatHex(utf8(operands.string(0)))),
            "hex.decode", (operands, _) -> hexDecode(operands.string(0)),
            "json.is_valid", (operands, _) -> isValidJson(operands.value(0)),
            "json.marshal_with_options", EncodingBuiltins::marshal);

    private EncodingBuiltins() {}

    public static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Decodes UTF-8 strictly, because Rego strings are text here; OPA would keep invalid UTF-8. */
    public static String text(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new BuiltinException("the decoded bytes are not valid UTF-8", e);
        }
    }

    private static RegoValue hexDecode(String hex) {
        try {
            return RegoValue.of(text(HexFormat.of().parseHex(hex)));
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("encoding/hex: " + e.getMessage(), e);
        }
    }

    private static RegoValue isValidJson(RegoValue value) {
        if (!(value instanceof StringValue(var text))) {
            return RegoValue.BooleanValue.FALSE;
        }
        return RegoValue.of(GoJsonText.isValid(text));
    }

    private static RegoValue marshal(Operands operands, EvaluationScope scope) {
        var indent = "\t";
        var prefix = "";
        boolean implied = false;
        Boolean requested = null;
        for (var option : operands.object(1).fields().entrySet()) {
            var name = option.getKey() instanceof StringValue(var text)
                    ? text
                    : option.getKey().toString();
            switch (name) {
                case "prefix" -> {
                    prefix = optionText(name, option.getValue());
                    implied = true;
                }
                case "indent" -> {
                    indent = optionText(name, option.getValue());
                    implied = true;
                }
                case "pretty" -> {
                    if (!(option.getValue() instanceof BooleanValue(var flag))) {
                        throw new BuiltinException("operand 2 key pretty failed cast to bool");
                    }
                    requested = flag;
                }
                default -> throw new BuiltinException("operand 2 object contained unknown key " + name);
            }
        }
        boolean pretty = requested == null ? implied : requested;
        var value = ValueParser.parse(ValueWriter.json(operands.value(0)));
        return RegoValue.of(
                pretty ? prefix + GoJsonText.indented(value, prefix, indent, scope) : GoJsonText.compact(value));
    }

    private static String optionText(String name, RegoValue value) {
        if (value instanceof StringValue(var text)) {
            return text;
        }
        throw new BuiltinException("operand 2 key " + name + " failed cast to string");
    }
}
