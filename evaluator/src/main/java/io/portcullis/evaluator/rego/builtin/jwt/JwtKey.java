package io.portcullis.evaluator.rego.builtin.jwt;

import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.builtin.x509.PemBlock;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.ArrayValue;
import io.portcullis.evaluator.rego.value.RegoValue.ObjectValue;
import io.portcullis.evaluator.rego.value.RegoValue.StringValue;
import java.math.BigInteger;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.spec.ECFieldFp;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.ECPoint;
import java.security.spec.ECPublicKeySpec;
import java.security.spec.EdECPoint;
import java.security.spec.EdECPublicKeySpec;
import java.security.spec.NamedParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** A key that verifies tokens. A JWK contains algorithm and key id; otherwise both are empty. */
record JwtKey(String alg, String kid, Material material) {

    /** The JDK's names of the curves, by their JWK names. */
    private static final Map<String, String> CURVES =
            Map.of("P-256", "secp256r1", "P-384", "secp384r1", "P-521", "secp521r1");

    /** The maximum size of a number in bytes; no RSA key has more than 16,384 bits. */
    private static final int MAX_NUMBER_BYTES = 2_049;

    sealed interface Material {}

    record Public(PublicKey key) implements Material {}

    record Secret(byte[] bytes) implements Material {}

    /** A key that is not for signatures. */
    record Unusable() implements Material {}

    /** Algorithms of keys that are not for signatures we support. */
    private static final Pattern OTHER_ALGORITHM =
            Pattern.compile("none|ES256K|dir|RSA1_5|RSA-OAEP(-(256|384|512))?|A(128|192|256)(GCM)?KW"
                    + "|ECDH-ES(\\+A(128|192|256)KW)?|PBES2-HS(256\\+A128|384\\+A192|512\\+A256)KW");

    /** Parses one PEM block with a certificate or public key, a JWK, or a JWK set. */
    static List<JwtKey> parse(String text) {
        var block = PemBlock.first(text);
        if (block.isPresent()) {
            return List.of(
                    new JwtKey("", "", new Public(withKnownCurve(block.get().onlyPublicKey()))));
        }
        var json = JwtToken.jsonObject(text);
        var keys = json.fields().get(RegoValue.of("keys"));
        if (keys == null) {
            return usable(List.of(json));
        }
        if (keys instanceof ArrayValue(var items)) {
            return usable(items);
        }
        throw new BuiltinException("failed to parse a JWK key (set): keys is not a list");
    }

    /** Skips keys that are not for verification. */
    private static List<JwtKey> usable(List<RegoValue> keys) {
        var usable = new ArrayList<JwtKey>();
        for (var item : keys) {
            if (!(item instanceof ObjectValue key)) {
                throw new BuiltinException("failed to parse a JWK key (set): not an object");
            }
            text(key, "use");
            var material = material(key);
            var alg = text(key, "alg");
            if (JwtAlgorithm.named(alg).isPresent() || !key.fields().containsKey(RegoValue.of("alg"))) {
                usable.add(new JwtKey(alg, text(key, "kid"), material));
            } else if (!OTHER_ALGORITHM.matcher(alg).matches()) {
                throw new BuiltinException("failed to parse a JWK key: invalid algorithm " + alg);
            }
        }
        return usable;
    }

    private static Material material(ObjectValue key) {
        if (key.fields().containsKey(RegoValue.of("d"))) {
            throw new BuiltinException("a private JWK is not accepted for verification");
        }
        try {
            return switch (text(key, "kty")) {
                case "RSA" -> new Public(rsa(number(key, "n"), number(key, "e")));
                case "EC" -> new Public(ec(text(key, "crv"), bytes(key, "x"), bytes(key, "y")));
                case "OKP" -> octetKeyPair(text(key, "crv"), bytes(key, "x"));
                case "oct" -> new Secret(bytes(key, "k"));
                case String kty -> throw new BuiltinException("failed to parse a JWK key: invalid key type " + kty);
            };
        } catch (GeneralSecurityException e) {
            throw new BuiltinException("failed to parse a JWK key: " + e.getMessage(), e);
        }
    }

    private static PublicKey rsa(BigInteger modulus, BigInteger exponent) throws GeneralSecurityException {
        return KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, exponent));
    }

    private static PublicKey ec(String curve, byte[] x, byte[] y) throws GeneralSecurityException {
        var specification = curve(Optional.ofNullable(CURVES.get(curve))
                .orElseThrow(() -> new BuiltinException("unsupported curve " + curve)));
        int size = (specification.getCurve().getField().getFieldSize() + 7) / 8;
        if (x.length > size || y.length > size) {
            throw new BuiltinException("the point is too long for the curve");
        }
        var point = new ECPoint(new BigInteger(1, x), new BigInteger(1, y));
        var key = KeyFactory.getInstance("EC").generatePublic(new ECPublicKeySpec(point, specification));
        requireOnCurve((ECPublicKey) key);
        return key;
    }

    private static ECParameterSpec curve(String name) throws GeneralSecurityException {
        var parameters = AlgorithmParameters.getInstance("EC");
        parameters.init(new ECGenParameterSpec(name));
        return parameters.getParameterSpec(ECParameterSpec.class);
    }

    /** Rejects keys on curves that the JDK can parse but not verify with: the signature is then unknown, not wrong. */
    private static PublicKey withKnownCurve(PublicKey key) {
        if (!(key instanceof ECPublicKey ec)) {
            return key;
        }
        try {
            for (var name : CURVES.values()) {
                if (curve(name).getOrder().equals(ec.getParams().getOrder())) {
                    return key;
                }
            }
        } catch (GeneralSecurityException e) {
            throw new BuiltinException("unsupported curve", e);
        }
        throw new BuiltinException("unsupported curve");
    }

    private static void requireOnCurve(ECPublicKey key) {
        var curve = key.getParams().getCurve();
        if (!(curve.getField() instanceof ECFieldFp field)) {
            throw new BuiltinException("unsupported curve");
        }
        var p = field.getP();
        var x = key.getW().getAffineX();
        var y = key.getW().getAffineY();
        var right = x.pow(3).add(curve.getA().multiply(x)).add(curve.getB()).mod(p);
        if (x.compareTo(p) >= 0 || y.compareTo(p) >= 0 || !y.multiply(y).mod(p).equals(right)) {
            throw new BuiltinException("the point is not on the curve");
        }
    }

    private static Material octetKeyPair(String curve, byte[] encoded) throws GeneralSecurityException {
        if (encoded.length != 32) {
            throw new BuiltinException("unsupported OKP key " + curve);
        }
        return switch (curve) {
            case "Ed25519" -> new Public(ed25519(encoded));
            case "X25519" -> new Unusable();
            case String _ -> throw new BuiltinException("unsupported OKP key " + curve);
        };
    }

    private static PublicKey ed25519(byte[] encoded) throws GeneralSecurityException {
        var bigEndian = new byte[32];
        for (int i = 0; i < 32; i++) {
            bigEndian[i] = encoded[31 - i];
        }
        boolean isXOdd = (bigEndian[0] & 0x80) != 0;
        bigEndian[0] &= 0x7f;
        var point = new EdECPoint(isXOdd, new BigInteger(1, bigEndian));
        return KeyFactory.getInstance("Ed25519")
                .generatePublic(new EdECPublicKeySpec(NamedParameterSpec.ED25519, point));
    }

    private static BigInteger number(ObjectValue key, String name) {
        var number = bytes(key, name);
        if (number.length > MAX_NUMBER_BYTES) {
            throw new BuiltinException(
                    "failed to parse a JWK key: " + name + " has more than " + MAX_NUMBER_BYTES + " bytes");
        }
        return new BigInteger(1, number);
    }

    private static byte[] bytes(ObjectValue key, String name) {
        var text = text(key, name);
        if (text.isEmpty()) {
            throw new BuiltinException("failed to parse a JWK key: " + name + " is missing");
        }
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            throw new BuiltinException("failed to parse a JWK key: " + name + " is not base64url", e);
        }
    }

    private static String text(ObjectValue key, String name) {
        var value = key.fields().get(RegoValue.of(name));
        if (value == null) {
            return "";
        }
        if (value instanceof StringValue(var text)) {
            return text;
        }
        throw new BuiltinException("failed to parse a JWK key: " + name + " is not a string");
    }
}
