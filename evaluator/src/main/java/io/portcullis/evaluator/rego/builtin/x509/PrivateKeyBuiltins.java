package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Built-ins for private keys in PEM. */
public final class PrivateKeyBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "crypto.x509.parse_rsa_private_key", DerValues.reading((operands, _) -> firstJwk(operands.string(0))),
            "crypto.parse_private_keys", DerValues.reading((operands, _) -> all(operands.string(0))));

    private static final String BEGIN = "-----BEGIN";

    private PrivateKeyBuiltins() {}

    /** Returns the first key as JWK. Despite the built-in's name, all kinds of keys are accepted. */
    private static RegoValue firstJwk(String text) {
        if (text.isEmpty()) {
            throw new BuiltinException("input PEM data was empty");
        }
        var pem = text.startsWith(BEGIN) ? text : decoded(text);
        var keys = keys(pem);
        return keys.isEmpty()
                ? NullValue.NULL
                : keys.getFirst().toJwk().orElseThrow(() -> new BuiltinException("unsupported elliptic curve"));
    }

    private static RegoValue all(String text) {
        if (text.isEmpty()) {
            return NullValue.NULL;
        }
        boolean encoded = !text.startsWith(BEGIN) && isBase64(text);
        return RegoValue.array(keys(encoded ? decoded(text) : text).stream()
                .map(PrivateKeyValue::toGo)
                .toList());
    }

    private static boolean isBase64(String text) {
        try {
            base64(text);
            return true;
        } catch (BuiltinException e) {
            return false;
        }
    }

    /** Decodes base64 to text as ISO-8859-1. PEM is ASCII, and other bytes cannot look like PEM. */
    static String decoded(String text) {
        return new String(base64(text), StandardCharsets.ISO_8859_1);
    }

    /** Decodes like Go: ignores line breaks. */
    static byte[] base64(String text) {
        try {
            return Base64.getDecoder().decode(text.replace("\n", "").replace("\r", ""));
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("illegal base64 data: " + e.getMessage(), e);
        }
    }

    /** Parses all blocks, even if only the first key is needed, so that a broken key fails. */
    private static List<PrivateKeyValue> keys(String pem) {
        return PemBlock.all(pem).stream().flatMap(block -> key(block).stream()).toList();
    }

    private static Optional<PrivateKeyValue> key(PemBlock block) {
        return switch (block.type()) {
            case "RSA PRIVATE KEY" -> Optional.of(PrivateKeyValue.pkcs1(block.bytes()));
            case "PRIVATE KEY" -> Optional.of(PrivateKeyValue.pkcs8(block.bytes()));
            case "EC PRIVATE KEY" -> Optional.of(PrivateKeyValue.sec1(block.bytes()));
            case String _ -> Optional.empty();
        };
    }
}
