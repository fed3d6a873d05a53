package io.portcullis.evaluator.rego.builtin.jwt;

import io.portcullis.evaluator.rego.builtin.crypto.CryptoBuiltins;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The signature algorithms of tokens. If a signature cannot be checked with a key, verification fails. */
enum JwtAlgorithm {
    RS256(Family.RSA, 256),
    RS384(Family.RSA, 384),
    RS512(Family.RSA, 512),
    PS256(Family.PSS, 256),
    PS384(Family.PSS, 384),
    PS512(Family.PSS, 512),
    ES256(Family.EC, 256),
    ES384(Family.EC, 384),
    ES512(Family.EC, 512),
    HS256(Family.HMAC, 256),
    HS384(Family.HMAC, 384),
    HS512(Family.HMAC, 512),
    EDDSA(Family.ED25519, 0);

    private enum Family {
        RSA,
        PSS,
        EC,
        HMAC,
        ED25519
    }

    /** The minimum RSA key size; Go does not verify with shorter keys. */
    private static final int MIN_RSA_BITS = 1024;

    private final Family family;
    private final int bits;

    JwtAlgorithm(Family family, int bits) {
        this.family = family;
        this.bits = bits;
    }

    /** Returns the algorithm with this header name; the name is case-sensitive. */
    static Optional<JwtAlgorithm> named(String name) {
        return Arrays.stream(values())
                .filter(algorithm -> algorithm.headerName().equals(name))
                .findFirst();
    }

    private String headerName() {
        return this == EDDSA ? "EdDSA" : name();
    }

    String builtinSuffix() {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isSymmetric() {
        return family == Family.HMAC;
    }

    boolean verifyWithSecret(byte[] secret, byte[] message, byte[] signature) {
        return MessageDigest.isEqual(signature, CryptoBuiltins.hmac("HmacSHA" + bits, secret, message));
    }

    /** Verifies like the {@code io.jwt.verify_*} built-ins: accepts PSS salts and EC halves of any length. */
    boolean verifyLeniently(PublicKey key, byte[] message, byte[] signature) {
        return verify(key, message, signature, false);
    }

    /**
     * Verifies like {@code io.jwt.decode_verify}: the salt must have the length of the digest, the EC halves the length
     * of the curve's order.
     */
    boolean verifyStrictly(JwtKey.Material key, byte[] message, byte[] signature) {
        return switch (key) {
            case JwtKey.Secret(var secret) -> isSymmetric() && verifyWithSecret(secret, message, signature);
            case JwtKey.Public(var publicKey) -> verify(publicKey, message, signature, true);
            case JwtKey.Unusable _ -> false;
        };
    }

    private boolean verify(PublicKey key, byte[] message, byte[] signature, boolean isStrict) {
        try {
            return switch (key) {
                case RSAPublicKey rsa
                when family == Family.RSA ->
                    isLongEnough(rsa)
                            && verify(Signature.getInstance("SHA" + bits + "withRSA"), key, message, signature);
                case RSAPublicKey rsa
                when family == Family.PSS ->
                    isLongEnough(rsa) && PssSignature.verify(rsa, bits, message, signature, isStrict);
                case ECPublicKey ec when family == Family.EC -> verifyEc(ec, message, signature, isStrict);
                case EdECPublicKey _
                when family == Family.ED25519 -> verify(Signature.getInstance("Ed25519"), key, message, signature);
                case PublicKey _ -> false;
            };
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static boolean isLongEnough(RSAPublicKey key) {
        return key.getModulus().bitLength() >= MIN_RSA_BITS;
    }

    private static boolean verify(Signature verifier, PublicKey key, byte[] message, byte[] signature)
            throws GeneralSecurityException {
        verifier.initVerify(key);
        verifier.update(message);
        return verifier.verify(signature);
    }

    private boolean verifyEc(ECPublicKey key, byte[] message, byte[] signature, boolean isStrict)
            throws GeneralSecurityException {
        int size = (key.getParams().getCurve().getField().getFieldSize() + 7) / 8;
        if (isStrict && signature.length != 2 * size) {
            return false;
        }
        int half = signature.length / 2;
        var r = new BigInteger(1, Arrays.copyOf(signature, half));
        var s = new BigInteger(1, Arrays.copyOfRange(signature, half, signature.length));
        var order = key.getParams().getOrder();
        if (r.signum() == 0 || s.signum() == 0 || r.compareTo(order) >= 0 || s.compareTo(order) >= 0) {
            return false;
        }
        var fixed = new byte[2 * size];
        copyRight(r, fixed, size);
        copyRight(s, fixed, 2 * size);
        return verify(Signature.getInstance("SHA" + bits + "withECDSAinP1363Format"), key, message, fixed);
    }

    /** Writes the number right-aligned, ending before {@code end}. */
    private static void copyRight(BigInteger number, byte[] target, int end) {
        var bytes = number.toByteArray();
        int skip = bytes[0] == 0 ? 1 : 0;
        System.arraycopy(bytes, skip, target, end - (bytes.length - skip), bytes.length - skip);
    }
}
