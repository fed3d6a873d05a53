package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.source.CertificateAuthorities;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Signature;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.List;

/** A signature over a statement, with the signer's certificate: the content of a {@code .sig} file. */
record DetachedSignature(byte[] signature, X509Certificate certificate) {

    static DetachedSignature over(byte[] statement, SigningIdentity identity) {
        return new DetachedSignature(identity.sign(statement), identity.certificate());
    }

    byte[] bytes() {
        return (Base64.getEncoder().encodeToString(signature) + "\n" + line(certificate) + "\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the second line of the file: the certificate. */
    static String line(X509Certificate certificate) {
        try {
            return Base64.getEncoder().encodeToString(certificate.getEncoded());
        } catch (CertificateEncodingException e) {
            throw new IllegalStateException("a certificate that was parsed can be encoded", e);
        }
    }

    static DetachedSignature parse(byte[] bytes) throws GeneralSecurityException {
        List<String> lines =
                new String(bytes, StandardCharsets.US_ASCII).lines().toList();
        if (lines.size() != 2) {
            throw new GeneralSecurityException("the signature file is malformed");
        }
        try {
            return new DetachedSignature(
                    Base64.getDecoder().decode(lines.getFirst()),
                    CertificateAuthorities.parse(Base64.getDecoder().decode(lines.getLast()))
                            .getFirst());
        } catch (IllegalArgumentException | ArtifactException e) {
            throw new GeneralSecurityException("the signature file is malformed", e);
        }
    }

    /** @throws GeneralSecurityException with the reason why the signature is rejected */
    void check(byte[] statement, CacheTrust trust, Instant now) throws GeneralSecurityException {
        trust.check(certificate, now);
        var verifier = Signature.getInstance("SHA256withECDSA");
        verifier.initVerify(certificate);
        verifier.update(statement);
        if (!verifier.verify(signature)) {
            throw new GeneralSecurityException("the file is not what was signed");
        }
    }
}
