package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import io.portcullis.evaluator.rego.value.RegoValue.NullValue;
import java.math.BigInteger;
import java.util.Map;

/** A public key in Go's representation. Algorithms that Go does not support have a null key and number 0. */
record PublicKeyInfo(int algorithm, RegoValue key) {

    static PublicKeyInfo parse(DerElement info) {
        var parts = info.sequence(2);
        var algorithm = parts.get(0).sequence(1);
        var bits = parts.get(1);
        return switch (algorithm.getFirst().dotted()) {
            case "1.2.840.113549.1.1.1" -> new PublicKeyInfo(1, rsa(DerElement.only(bits.bits())));
            case "1.2.840.10040.4.1" -> new PublicKeyInfo(2, dsa(algorithm.get(1), DerElement.only(bits.bits())));
            case "1.2.840.10045.2.1" -> new PublicKeyInfo(3, elliptic(algorithm.get(1), bits.bits()));
            case "1.3.101.112" -> new PublicKeyInfo(4, edwards(bits.bits()));
            case "1.3.101.110" -> new PublicKeyInfo(0, RegoValue.object(Map.of()));
            case String _ -> new PublicKeyInfo(0, NullValue.NULL);
        };
    }

    private static RegoValue rsa(DerElement key) {
        var parts = key.sequence(2);
        return rsa(positive(parts.get(0)), positive(parts.get(1)));
    }

    static RegoValue rsa(BigInteger modulus, BigInteger exponent) {
        return RegoValue.object(Map.of("N", DerValues.number(modulus), "E", DerValues.number(exponent)));
    }

    private static RegoValue dsa(DerElement parameters, DerElement y) {
        var parts = parameters.sequence(3);
        return RegoValue.object(Map.of(
                "P", DerValues.number(positive(parts.get(0))),
                "Q", DerValues.number(positive(parts.get(1))),
                "G", DerValues.number(positive(parts.get(2))),
                "Y", DerValues.number(positive(y))));
    }

    private static BigInteger positive(DerElement number) {
        var value = number.integer();
        if (value.signum() <= 0) {
            throw new BuiltinException("x509: zero or negative public key parameter");
        }
        return value;
    }

    private static RegoValue elliptic(DerElement curve, byte[] point) {
        return elliptic(NamedCurve.of(curve).point(point));
    }

    static RegoValue elliptic(NamedCurve.Point point) {
        return RegoValue.object(Map.of(
                "Curve",
                RegoValue.object(Map.of()),
                "X",
                DerValues.number(point.x()),
                "Y",
                DerValues.number(point.y())));
    }

    private static RegoValue edwards(byte[] key) {
        if (key.length != 32) {
            throw new BuiltinException("x509: wrong Ed25519 public key size");
        }
        return DerValues.base64(key);
    }
}
