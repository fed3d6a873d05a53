package io.portcullis.artifacts.verify.trust;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;

/** Parses the kinds of public keys that Sigstore uses, and verifies signatures with them. */
public final class SignatureKeys {

    private static final Pattern PEM =
            Pattern.compile("-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\\s]+)-----END PUBLIC KEY-----");
    private static final int P256_BITS = 256;

    private SignatureKeys() {}

    public static PublicKey parsePem(String pem) {
        var matcher = PEM.matcher(pem);
        if (!matcher.find()) {
            throw new ArtifactException(Reason.INVALID_REFERENCE, "not a public key in PEM encoding");
        }
        try {
            return parse(Base64.getMimeDecoder().decode(matcher.group(1)));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new ArtifactException(Reason.INVALID_REFERENCE, "not a public key: " + e.getMessage(), e);
        }
    }

    /** @param encoded a SubjectPublicKeyInfo in DER, or an RSA key as PKCS #1 writes it */
    public static PublicKey parse(byte[] encoded) throws GeneralSecurityException {
        for (var algorithm : List.of("EC", "RSA", "Ed25519")) {
            try {
                return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException e) {
                // Try the next kind. If none matches, the code below throws.
            }
        }
        try {
            var numbers = DerElement.only(encoded).sequence(2);
            return KeyFactory.getInstance("RSA")
                    .generatePublic(new RSAPublicKeySpec(
                            numbers.get(0).integer(), numbers.get(1).integer()));
        } catch (MalformedDerException e) {
            throw new InvalidKeySpecException("neither an EC, an RSA nor an Ed25519 key", e);
        }
    }

    /** Reports whether the signature is valid. Returns false instead of throwing for a malformed signature. */
    public static boolean verifies(PublicKey key, byte[] signed, byte[] signature) {
        try {
            var verifier = Signature.getInstance(algorithm(key));
            verifier.initVerify(key);
            verifier.update(signed);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static String algorithm(PublicKey key) {
        return switch (key.getAlgorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" ->
                ((ECPublicKey) key).getParams().getOrder().bitLength() > P256_BITS
                        ? "SHA384withECDSA"
                        : "SHA256withECDSA";
            default -> "Ed25519";
        };
    }
}
