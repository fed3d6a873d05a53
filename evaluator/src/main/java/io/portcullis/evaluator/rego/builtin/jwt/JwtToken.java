package io.portcullis.evaluator.rego.builtin.jwt;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.builtin.format.GoJsonText;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.ValueParser;
import java.util.Base64;

/** The three parts of a token, still in base64url. */
record JwtToken(String header, String payload, String signature) {

    static JwtToken parse(String text) {
        var parts = text.split("\\.", -1);
        if (parts.length == 1) {
            throw new BuiltinException("encoded JWT had no period separators");
        }
        if (parts.length != 3) {
            throw new BuiltinException("encoded JWT must have 3 sections, found " + parts.length);
        }
        return new JwtToken(parts[0], parts[1], parts[2]);
    }

    byte[] signedBytes() {
        return EncodingBuiltins.utf8(header + "." + payload);
    }

    ObjectValue decodedHeader() {
        var decoded = jsonObject(EncodingBuiltins.text(base64Url(header)));
        if (decoded.fields().containsKey(RegoValue.of("enc"))) {
            throw new BuiltinException("JWT is a JWE object, which is not supported");
        }
        return decoded;
    }

    String decodedPayload() {
        return EncodingBuiltins.text(base64Url(payload));
    }

    byte[] decodedSignature() {
        return base64Url(signature);
    }

    static ObjectValue jsonObject(String text) {
        if (!GoJsonText.isValid(text)) {
            throw new BuiltinException("invalid JSON");
        }
        try {
            if (ValueParser.parse(text) instanceof ObjectValue object) {
                return object;
            }
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("invalid JSON: " + e.getMessage(), e);
        }
        throw new BuiltinException("decoded JSON type was not an Object");
    }

    /** Decodes base64url. Padding is optional; line ends count when padding is checked and are ignored afterwards. */
    private static byte[] base64Url(String text) {
        int missing = text.endsWith("=") ? 0 : (4 - text.length() % 4) % 4;
        var padded = (text + "=".repeat(missing)).replace("\n", "").replace("\r", "");
        if (missing == 3 || padded.length() % 4 != 0) {
            throw new BuiltinException("illegal base64url string: " + text);
        }
        try {
            return Base64.getUrlDecoder().decode(padded);
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("illegal base64url string: " + e.getMessage(), e);
        }
    }
}
