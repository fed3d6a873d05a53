package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import java.math.BigInteger;
import java.util.Arrays;
import java.util.Optional;

/**
 * The elliptic curves that Go supports, with the arithmetic to derive a public key. Not hardened against side channels,
 * because these keys are policy data.
 */
enum NamedCurve {
    P224(
            "P-224",
            "1.3.132.0.33",
            "ffffffffffffffffffffffffffffffff000000000000000000000001",
            "b4050a850c04b3abf54132565044b0b7d7bfd8ba270b39432355ffb4",
            "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d",
            "b70e0cbd6bb4bf7f321390b94a03c1d356c21122343280d6115c1d21",
            "bd376388b5f723fb4c22dfe6cd4375a05a07476444d5819985007e34"),
    P256(
            "P-256",
            "1.2.840.10045.3.1.7",
            "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
            "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b",
            "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296",
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"),
    P384(
            "P-384",
            "1.3.132.0.34",
            "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
            "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef",
            "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
            "aa87ca22be8b05378eb1c71ef320ad746e1d3b628ba79b9859f741e082542a385502f25dbf55296c3a545e3872760ab7",
            "3617de4a96262c6f5d9e98bf9292dc29f8f41dbd289a147ce9da3113b5f0b8c00a60b1ce1d7e819d7a431d7c90ea0e5f"),
    P521(
            "P-521",
            "1.3.132.0.35",
            "01ff" + "ff".repeat(64),
            "0051953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf07"
                    + "3573df883d2c34f1ef451fd46b503f00",
            "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d0"
                    + "3bb5c9b8899c47aebb6fb71e91386409",
            "00c6858e06b70404e9cd9e3ecb662395b4429c648139053fb521f828af606b4d3dbaa14b5e77efe75928fe1dc127a2ffa8de"
                    + "3348b3c1856a429bf97e7e31c2e5bd66",
            "011839296a789a3bc0045c8a5fb42c7d1bd998f54449579b446817afbd17273e662c97ee72995ef42640c550b9013fad0761"
                    + "353c7086a272c24088be94769fd16650");

    private static final BigInteger THREE = BigInteger.valueOf(3);

    private final String publicName;
    private final String oid;
    private final BigInteger prime;
    private final BigInteger b;
    private final BigInteger order;
    private final BigInteger generatorX;
    private final BigInteger generatorY;

    NamedCurve(String publicName, String oid, String prime, String b, String order, String x, String y) {
        this.publicName = publicName;
        this.oid = oid;
        this.prime = new BigInteger(prime, 16);
        this.b = new BigInteger(b, 16);
        this.order = new BigInteger(order, 16);
        this.generatorX = new BigInteger(x, 16);
        this.generatorY = new BigInteger(y, 16);
    }

    record Point(BigInteger x, BigInteger y) {}

    static NamedCurve of(DerElement oid) {
        var dotted = oid.dotted();
        return Arrays.stream(values())
                .filter(curve -> curve.oid.equals(dotted))
                .findFirst()
                .orElseThrow(() -> new BuiltinException("x509: unsupported elliptic curve"));
    }

    String publicName() {
        return publicName;
    }

    /** The number of bytes of one coordinate. */
    int size() {
        return (prime.bitLength() + 7) / 8;
    }

    /** Parses an uncompressed point; it must be on the curve. */
    Point point(byte[] encoded) {
        if (encoded.length != 1 + 2 * size() || encoded[0] != 4) {
            throw new BuiltinException("x509: failed to unmarshal elliptic curve point");
        }
        var point = new Point(
                new BigInteger(1, Arrays.copyOfRange(encoded, 1, 1 + size())),
                new BigInteger(1, Arrays.copyOfRange(encoded, 1 + size(), encoded.length)));
        var right = point.x.pow(3).subtract(THREE.multiply(point.x)).add(b).mod(prime);
        boolean reduced = point.x.compareTo(prime) < 0 && point.y.compareTo(prime) < 0;
        if (!reduced || !point.y.multiply(point.y).mod(prime).equals(right)) {
            throw new BuiltinException("x509: failed to unmarshal elliptic curve point");
        }
        return point;
    }

    Point publicPoint(BigInteger secret) {
        if (secret.signum() <= 0 || secret.compareTo(order) >= 0) {
            throw new BuiltinException("x509: invalid elliptic curve private key value");
        }
        var generator = new Point(generatorX, generatorY);
        Optional<Point> sum = Optional.empty();
        for (int bit = secret.bitLength() - 1; bit >= 0; bit--) {
            sum = sum.flatMap(point -> add(point, point));
            if (secret.testBit(bit)) {
                sum = sum.isEmpty() ? Optional.of(generator) : add(sum.get(), generator);
            }
        }
        return sum.orElseThrow();
    }

    /** Adds two points; empty is the point at infinity. */
    private Optional<Point> add(Point p, Point q) {
        BigInteger slope;
        if (!p.x.equals(q.x)) {
            slope = q.y.subtract(p.y).multiply(q.x.subtract(p.x).modInverse(prime));
        } else if (p.y.equals(q.y) && p.y.signum() != 0) {
            slope = THREE.multiply(p.x.multiply(p.x).subtract(BigInteger.ONE))
                    .multiply(p.y.shiftLeft(1).modInverse(prime));
        } else {
            return Optional.empty();
        }
        var x = slope.multiply(slope).subtract(p.x).subtract(q.x).mod(prime);
        return Optional.of(
                new Point(x, slope.multiply(p.x.subtract(x)).subtract(p.y).mod(prime)));
    }
}
