package io.portcullis.evaluator.rego.builtin.x509;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.evaluator.rego.builtin.BuiltinException;
import io.portcullis.evaluator.rego.value.RegoValue;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.XECPublicKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** A private key of a kind that Go supports: in Go's representation, as JWK, and with its public key. */
sealed interface PrivateKeyValue {

    RegoValue toGo();

    /** The key as JWK; empty if JWK has no name for the kind. */
    Optional<RegoValue> toJwk();

    RegoValue publicKey();

    /** Parses the content of a {@code PRIVATE KEY} PEM block. */
    static PrivateKeyValue pkcs8(byte[] bytes) {
        var parts = DerElement.only(bytes).sequence(3);
        var algorithm = parts.get(1).sequence(1);
        var key = parts.get(2).expect(DerElement.OCTET_STRING).content();
        return switch (algorithm.getFirst().dotted()) {
            case "1.2.840.113549.1.1.1" -> pkcs1(key);
            case "1.2.840.10045.2.1" -> elliptic(key, NamedCurve.of(algorithm.get(1)));
            case "1.3.101.112" -> new Edwards(seed(key));
            case "1.3.101.110" -> new Montgomery(seed(key));
            case String oid ->
                throw new BuiltinException(
                        "x509: PKCS#8 wrapping contained private key with unknown algorithm: " + oid);
        };
    }

    /** Tries all forms, because the type of a PEM block does not always identify the form. */
    static PrivateKeyValue ofAnyForm(byte[] bytes) {
        for (var form : List.<Function<byte[], PrivateKeyValue>>of(
                PrivateKeyValue::pkcs1, PrivateKeyValue::pkcs8, PrivateKeyValue::sec1)) {
            try {
                return form.apply(bytes);
            } catch (BuiltinException | MalformedDerException e) {
                // Try the next form.
            }
        }
        throw new BuiltinException("tls: failed to parse private key");
    }

    private static byte[] seed(byte[] key) {
        var seed = DerElement.only(key).expect(DerElement.OCTET_STRING).content();
        if (seed.length != 32) {
            throw new BuiltinException("x509: invalid private key length");
        }
        return seed;
    }

    /** Parses the content of an {@code RSA PRIVATE KEY} PEM block. */
    static PrivateKeyValue pkcs1(byte[] bytes) {
        var numbers = DerElement.only(bytes).sequence(9).stream()
                .map(DerElement::integer)
                .toList();
        if (numbers.getFirst().signum() != 0) {
            throw new BuiltinException("x509: unsupported private key version");
        }
        var key = new Rsa(numbers.get(1), numbers.get(2), numbers.get(3), numbers.get(4), numbers.get(5));
        if (!key.isConsistent() || !numbers.subList(6, 9).equals(key.derived())) {
            throw new BuiltinException("x509: invalid RSA private key");
        }
        return key;
    }

    /** Parses the content of an {@code EC PRIVATE KEY} PEM block. */
    static PrivateKeyValue sec1(byte[] bytes) {
        var curve = DerElement.only(bytes).sequence(2).stream()
                .filter(part -> part.tag() == 0xa0)
                .findFirst()
                .orElseThrow(() -> new BuiltinException("x509: unknown elliptic curve"));
        return elliptic(bytes, NamedCurve.of(curve.children().getFirst()));
    }

    private static PrivateKeyValue elliptic(byte[] bytes, NamedCurve curve) {
        var parts = DerElement.only(bytes).sequence(2);
        if (parts.get(0).smallInteger() != 1) {
            throw new BuiltinException("x509: unknown EC private key version");
        }
        var secret =
                new BigInteger(1, parts.get(1).expect(DerElement.OCTET_STRING).content());
        return new Elliptic(curve, secret, curve.publicPoint(secret));
    }

    private static RegoValue url(byte[] bytes) {
        return RegoValue.of(Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
    }

    /** Returns exactly {@code size} bytes, with leading zeros. */
    private static byte[] padded(BigInteger number, int size) {
        var bytes = number.toByteArray();
        var out = new byte[size];
        int length = Math.min(bytes.length, size);
        System.arraycopy(bytes, bytes.length - length, out, size - length, length);
        return out;
    }

    record Rsa(BigInteger n, BigInteger e, BigInteger d, BigInteger p, BigInteger q) implements PrivateKeyValue {

        private BigInteger dp() {
            return d.mod(p.subtract(BigInteger.ONE));
        }

        private BigInteger dq() {
            return d.mod(q.subtract(BigInteger.ONE));
        }

        private BigInteger coefficient() {
            return q.modInverse(p);
        }

        /** The derived values that a key file contains to speed up computation. */
        List<BigInteger> derived() {
            return List.of(dp(), dq(), coefficient());
        }

        boolean isConsistent() {
            return List.of(n, e, d, p, q).stream().allMatch(number -> number.compareTo(BigInteger.ONE) > 0)
                    && p.multiply(q).equals(n)
                    && p.gcd(q).equals(BigInteger.ONE)
                    && dp().multiply(e).mod(p.subtract(BigInteger.ONE)).equals(BigInteger.ONE)
                    && dq().multiply(e).mod(q.subtract(BigInteger.ONE)).equals(BigInteger.ONE);
        }

        @Override
        public RegoValue toGo() {
            return RegoValue.object(Map.of(
                    "N", DerValues.number(n),
                    "E", DerValues.number(e),
                    "D", DerValues.number(d),
                    "Primes", RegoValue.array(DerValues.number(p), DerValues.number(q)),
                    "Precomputed",
                            RegoValue.object(Map.of(
                                    "Dp", DerValues.number(dp()),
                                    "Dq", DerValues.number(dq()),
                                    "Qinv", DerValues.number(coefficient()),
                                    "CRTValues", RegoValue.array()))));
        }

        @Override
        public Optional<RegoValue> toJwk() {
            var fields = new TreeMap<String, RegoValue>();
            fields.put("kty", RegoValue.of("RSA"));
            Map.of("n", n, "e", e, "d", d, "p", p, "q", q, "dp", dp(), "dq", dq(), "qi", coefficient())
                    .forEach((name, number) -> fields.put(name, url(padded(number, (number.bitLength() + 7) / 8))));
            return Optional.of(RegoValue.object((Map<String, RegoValue>) fields));
        }

        @Override
        public RegoValue publicKey() {
            return PublicKeyInfo.rsa(n, e);
        }
    }

    record Elliptic(NamedCurve curve, BigInteger secret, NamedCurve.Point point) implements PrivateKeyValue {

        @Override
        public RegoValue toGo() {
            return RegoValue.object(Map.of(
                    "Curve", RegoValue.object(Map.of()),
                    "X", DerValues.number(point.x()),
                    "Y", DerValues.number(point.y()),
                    "D", DerValues.number(secret)));
        }

        @Override
        public Optional<RegoValue> toJwk() {
            return curve == NamedCurve.P224
                    ? Optional.empty()
                    : Optional.of(RegoValue.object(Map.of(
                            "kty", RegoValue.of("EC"),
                            "crv", RegoValue.of(curve.publicName()),
                            "x", url(padded(point.x(), curve.size())),
                            "y", url(padded(point.y(), curve.size())),
                            "d", url(padded(secret, curve.size())))));
        }

        @Override
        public RegoValue publicKey() {
            return PublicKeyInfo.elliptic(point);
        }
    }

    /** An Ed25519 key. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Edwards(byte[] seed) implements PrivateKeyValue {

        private byte[] point() {
            var key = (EdECPublicKey) FixedSecret.publicKey("Ed25519", seed);
            var bytes = reversed(padded(key.getPoint().getY(), 32));
            bytes[31] |= (byte) (key.getPoint().isXOdd() ? 0x80 : 0);
            return bytes;
        }

        /** The seed followed by the public key. */
        @Override
        public RegoValue toGo() {
            var both = Arrays.copyOf(seed, 64);
            System.arraycopy(point(), 0, both, 32, 32);
            return DerValues.base64(both);
        }

        @Override
        public Optional<RegoValue> toJwk() {
            return Optional.of(okp("Ed25519", seed, point()));
        }

        @Override
        public RegoValue publicKey() {
            return DerValues.base64(point());
        }
    }

    /** An X25519 key. Go prints nothing of it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Montgomery(byte[] seed) implements PrivateKeyValue {

        @Override
        public RegoValue toGo() {
            return RegoValue.object(Map.of());
        }

        @Override
        public Optional<RegoValue> toJwk() {
            var key = (XECPublicKey) FixedSecret.publicKey("X25519", seed);
            return Optional.of(okp("X25519", seed, reversed(padded(key.getU(), 32))));
        }

        @Override
        public RegoValue publicKey() {
            throw new BuiltinException("tls: unknown private key type");
        }
    }

    private static RegoValue okp(String curve, byte[] secret, byte[] point) {
        return RegoValue.object(
                Map.of("kty", RegoValue.of("OKP"), "crv", RegoValue.of(curve), "d", url(secret), "x", url(point)));
    }

    private static byte[] reversed(byte[] bytes) {
        var out = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            out[i] = bytes[bytes.length - 1 - i];
        }
        return out;
    }

    /**
     * A random source with a fixed value. The JDK derives a public key only when it generates a pair, so this is the
     * randomness for the generator.
     */
    final class FixedSecret extends SecureRandom {

        private static final long serialVersionUID = 1;

        private final byte[] secret;

        private FixedSecret(byte[] secret) {
            super(null, null);
            this.secret = secret.clone();
        }

        static PublicKey publicKey(String algorithm, byte[] secret) {
            try {
                var generator = KeyPairGenerator.getInstance(algorithm);
                generator.initialize(255, new FixedSecret(secret));
                return generator.generateKeyPair().getPublic();
            } catch (GeneralSecurityException e) {
                throw new BuiltinException(algorithm + " is not available", e);
            }
        }

        @Override
        public void nextBytes(byte[] bytes) {
            System.arraycopy(secret, 0, bytes, 0, Math.min(bytes.length, secret.length));
        }
    }
}
