package io.portcullis.artifacts.cache;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;

/**
 * Signs statements with the signing key of a PolicyServer's cache, and checks them. The first line of a statement
 * must name its kind, so that a statement of one kind is never accepted as another.
 */
public final class SignedStatement {

    private SignedStatement() {}

    /** Returns the signature and the signer's certificate as text. */
    public static String sign(byte[] statement, SigningIdentity identity) {
        return new String(DetachedSignature.over(statement, identity).bytes(), StandardCharsets.US_ASCII);
    }

    /**
     * Checks that a trusted signer signed this statement.
     *
     * @throws GeneralSecurityException with the reason why the signature is rejected
     */
    public static void check(String signature, byte[] statement, CacheTrust trust, Instant now)
            throws GeneralSecurityException {
        DetachedSignature.parse(signature.getBytes(StandardCharsets.US_ASCII)).check(statement, trust, now);
    }

    /** Reports whether the signature contains this certificate. Does not check the signature. */
    public static boolean isBy(String signature, X509Certificate certificate) {
        return signature.endsWith("\n" + DetachedSignature.line(certificate) + "\n");
    }
}
