package io.portcullis.evaluator.rego.builtin.jwt;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;

/** Verifies RSASSA-PSS signatures. The JDK requires the length of the salt as input; Go detects it. */
final class PssSignature {

    private PssSignature() {}

    static boolean verify(RSAPublicKey key, int bits, byte[] message, byte[] signature, boolean isSaltAsLongAsDigest)
            throws GeneralSecurityException {
        var digest = "SHA-" + bits;
        int saltLength = isSaltAsLongAsDigest ? bits / 8 : saltLength(key, digest, signature);
        if (saltLength < 0) {
            return false;
        }
        var verifier = Signature.getInstance("RSASSA-PSS");
        verifier.setParameter(new PSSParameterSpec(digest, "MGF1", new MGF1ParameterSpec(digest), saltLength, 1));
        verifier.initVerify(key);
        verifier.update(message);
        return verifier.verify(signature);
    }

    /** Returns the length of the salt by RFC 8017 §9.1.2, steps 5 to 10; negative if no salt is found. */
    private static int saltLength(RSAPublicKey key, String digest, byte[] signature) throws GeneralSecurityException {
        int encodedBits = key.getModulus().bitLength() - 1;
        int length = (encodedBits + 7) / 8;
        var power = new BigInteger(1, signature).modPow(key.getPublicExponent(), key.getModulus());
        if (power.bitLength() > encodedBits) {
            return -1;
        }
        var encoded = rightAligned(power, length);
        int digestLength = MessageDigest.getInstance(digest).getDigestLength();
        int maskedLength = length - digestLength - 1;
        if (maskedLength < 1) {
            return -1;
        }
        var seed = Arrays.copyOfRange(encoded, maskedLength, maskedLength + digestLength);
        var mask = mask(digest, seed, maskedLength);
        int first = 8 * length - encodedBits;
        for (int i = 0; i < maskedLength; i++) {
            int octet = (encoded[i] ^ mask[i]) & (i == 0 ? 0xff >>> first : 0xff);
            if (octet != 0) {
                return octet == 1 ? maskedLength - i - 1 : -1;
            }
        }
        return -1;
    }

    private static byte[] rightAligned(BigInteger number, int length) {
        var bytes = number.toByteArray();
        int skip = Math.max(0, bytes.length - length);
        var aligned = new byte[length];
        System.arraycopy(bytes, skip, aligned, length - (bytes.length - skip), bytes.length - skip);
        return aligned;
    }

    /** The mask generation function MGF1. */
    private static byte[] mask(String digest, byte[] seed, int length) throws GeneralSecurityException {
        var hash = MessageDigest.getInstance(digest);
        var mask = ByteBuffer.allocate(length);
        for (int counter = 0; mask.hasRemaining(); counter++) {
            hash.update(seed);
            hash.update(ByteBuffer.allocate(4).putInt(counter).array());
            mask.put(hash.digest(), 0, Math.min(mask.remaining(), hash.getDigestLength()));
        }
        return mask.array();
    }
}
