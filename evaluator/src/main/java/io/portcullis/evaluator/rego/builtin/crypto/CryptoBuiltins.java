package io.portcullis.evaluator.rego.builtin.crypto;

import io.portcullis.evaluator.rego.builtin.Builtin;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.Operands;
import io.portcullis.evaluator.rego.builtin.encoding.EncodingBuiltins;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Built-ins for digests and message authentication codes, in lower-case hexadecimal. */
public final class CryptoBuiltins {

    public static final Map<String, Builtin> ALL = Map.of(
            "crypto.md5", (operands, _) -> digest("MD5", operands.string(0)),
            "crypto.sha1", (operands, _) -> digest("SHA-1", operands.string(0)),
            "crypto.sha256", (operands, _) -> digest("SHA-256", operands.string(0)),
            "crypto.hmac.md5", (operands, _) -> hmac("HmacMD5", operands),
            "crypto.hmac.sha1", (operands, _) -> hmac("HmacSHA1", operands),
            "crypto.hmac.sha256", (operands, _) -> hmac("HmacSHA256", operands),
            "crypto.hmac.sha512", (operands, _) -> hmac("HmacSHA512", operands),
            "crypto.hmac.equal",
                    (operands, _) -> RegoValue.of(MessageDigest.isEqual(
                            EncodingBuiltins.utf8(operands.string(0)), EncodingBuiltins.utf8(operands.string(1)))));

    private CryptoBuiltins() {}

    private static RegoValue digest(String algorithm, String text) {
        try {
            return hex(MessageDigest.getInstance(algorithm).digest(EncodingBuiltins.utf8(text)));
        } catch (GeneralSecurityException e) {
            throw new BuiltinException(algorithm + " is not available", e);
        }
    }

    private static RegoValue hmac(String algorithm, Operands operands) {
        return hex(
                hmac(algorithm, EncodingBuiltins.utf8(operands.string(1)), EncodingBuiltins.utf8(operands.string(0))));
    }

    public static byte[] hmac(String algorithm, byte[] key, byte[] message) {
        try {
            var mac = Mac.getInstance(algorithm);
            // An empty key means a block of zeros, but the JDK rejects an empty key.
            mac.init(new SecretKeySpec(key.length == 0 ? new byte[1] : key, algorithm));
            return mac.doFinal(message);
        } catch (GeneralSecurityException e) {
            throw new BuiltinException(algorithm + ": " + e.getMessage(), e);
        }
    }

    private static RegoValue hex(byte[] bytes) {
        return RegoValue.of(HexFormat.of().formatHex(bytes));
    }
}
