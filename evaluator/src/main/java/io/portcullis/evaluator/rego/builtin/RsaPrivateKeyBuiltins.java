package io.portcullis.evaluator.rego.builtin;

import io.portcullis.evaluator.rego.value.Value;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.interfaces.RSAPrivateCrtKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** RSA private keys as JWKs. Keys of other kinds, which OPA takes here too, fail. */
final class RsaPrivateKeyBuiltins {

    static final Map<String, Builtin> ALL =
            Map.of("crypto.x509.parse_rsa_private_key", (operands, _) -> parse(operands.string(0)));

    private static final String BEGIN = "-----BEGIN";

    /** Version 0 and the algorithm {@code rsaEncryption}, which PKCS #8 puts before a PKCS #1 key. */
    private static final byte[] RSA_PREFIX = HexFormat.of().parseHex("020100300d06092a864886f70d0101010500");

    private RsaPrivateKeyBuiltins() {}

    private static Value parse(String text) {
        if (text.isEmpty()) {
            throw new BuiltinException("input PEM data was empty");
        }
        var pem = text.startsWith(BEGIN) ? text : decodeBase64(text);
        var keys = keys(pem);
        return keys.isEmpty() ? Value.NullValue.NULL : jwk(keys.getFirst());
    }

    private static String decodeBase64(String text) {
        try {
            return EncodingBuiltins.text(
                    Base64.getDecoder().decode(text.replace("\n", "").replace("\r", "")));
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("illegal base64 data: " + e.getMessage(), e);
        }
    }

    /** All blocks are read, also when only the first key is asked for: one that is broken fails. */
    private static List<RSAPrivateCrtKey> keys(String pem) {
        var keys = new ArrayList<RSAPrivateCrtKey>();
        var rest = pem;
        for (var block = PemBlock.first(rest); block.isPresent(); block = PemBlock.first(rest)) {
            key(block.get()).ifPresent(keys::add);
            rest = block.get().rest();
        }
        if (rest.contains(BEGIN + " ")) {
            throw new BuiltinException("malformed PEM block");
        }
        return keys;
    }

    private static Optional<RSAPrivateCrtKey> key(PemBlock block) {
        return switch (block.type()) {
            case "RSA PRIVATE KEY" -> Optional.of(rsa(pkcs8(block.bytes())));
            case "PRIVATE KEY" -> Optional.of(rsa(block.bytes()));
            case "EC PRIVATE KEY" -> throw new BuiltinException("only RSA keys are supported");
            case String _ -> Optional.empty();
        };
    }

    private static byte[] pkcs8(byte[] pkcs1) {
        var content = new ByteArrayOutputStream();
        content.writeBytes(RSA_PREFIX);
        content.writeBytes(element(0x04, pkcs1));
        return element(0x30, content.toByteArray());
    }

    /** DER with a length of four octets at most. */
    private static byte[] element(int tag, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(tag);
        if (content.length < 0x80) {
            out.write(content.length);
        } else {
            var length = BigInteger.valueOf(content.length).toByteArray();
            int skip = length[0] == 0 ? 1 : 0;
            out.write(0x80 | (length.length - skip));
            out.write(length, skip, length.length - skip);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    private static RSAPrivateCrtKey rsa(byte[] pkcs8) {
        try {
            if (KeyFactory.getInstance("RSA").generatePrivate(new PKCS8EncodedKeySpec(pkcs8))
                            instanceof RSAPrivateCrtKey key
                    && isConsistent(key)) {
                return key;
            }
        } catch (GeneralSecurityException | ArithmeticException e) {
            throw new BuiltinException("not an RSA private key: " + e.getMessage(), e);
        }
        throw new BuiltinException("not a valid RSA private key");
    }

    private static boolean isConsistent(RSAPrivateCrtKey key) {
        var p = key.getPrimeP();
        var q = key.getPrimeQ();
        var d = key.getPrivateExponent();
        return p.multiply(q).equals(key.getModulus())
                && isExponent(key.getPrimeExponentP(), key, p.subtract(BigInteger.ONE))
                && isExponent(key.getPrimeExponentQ(), key, q.subtract(BigInteger.ONE))
                && d.signum() > 0
                && key.getCrtCoefficient().equals(q.modInverse(p));
    }

    private static boolean isExponent(BigInteger exponent, RSAPrivateCrtKey key, BigInteger order) {
        return exponent.equals(key.getPrivateExponent().mod(order))
                && exponent.multiply(key.getPublicExponent()).mod(order).equals(BigInteger.ONE);
    }

    private static Value jwk(RSAPrivateCrtKey key) {
        return Value.object(Map.of(
                "kty", Value.of("RSA"),
                "n", number(key.getModulus()),
                "e", number(key.getPublicExponent()),
                "d", number(key.getPrivateExponent()),
                "p", number(key.getPrimeP()),
                "q", number(key.getPrimeQ()),
                "dp", number(key.getPrimeExponentP()),
                "dq", number(key.getPrimeExponentQ()),
                "qi", number(key.getCrtCoefficient())));
    }

    private static Value number(BigInteger number) {
        var bytes = number.toByteArray();
        int skip = bytes[0] == 0 ? 1 : 0;
        var magnitude = new byte[bytes.length - skip];
        System.arraycopy(bytes, skip, magnitude, 0, magnitude.length);
        return Value.of(Base64.getUrlEncoder().withoutPadding().encodeToString(magnitude));
    }
}
