package io.portcullis.process.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;

/** Who somebody is: a certificate, the intermediates that vouch for it, and the key. They belong together. */
public record Identity(List<X509Certificate> chain, PrivateKey key) {

    public Identity {
        chain = List.copyOf(chain);
    }

    static Identity load(Path certificateFile, Path keyFile) {
        return of(Pem.read(certificateFile), Pem.read(keyFile));
    }

    /**
     * From texts in PEM.
     *
     * @param source what messages call it
     * @throws TlsException when they cannot be read or do not belong together
     */
    public static Identity parse(String source, String certificatePem, String keyPem) {
        return of(Pem.parse(source, certificatePem), Pem.parse(source, keyPem));
    }

    static Identity of(Pem certificate, Pem key) {
        var identity = new Identity(certificate.certificates(), PrivateKeys.read(key));
        if (!identity.keyMatchesCertificate()) {
            throw new TlsException(
                    "the key in " + key.source() + " does not belong to the certificate in " + certificate.source(),
                    null);
        }
        return identity;
    }

    public X509Certificate certificate() {
        return chain.getFirst();
    }

    /** Signs something and verifies it: works for every kind of key. */
    private boolean keyMatchesCertificate() {
        var probe = new byte[] {1, 2, 3};
        PublicKey publicKey = certificate().getPublicKey();
        var algorithm = switch (publicKey.getAlgorithm()) {
            case "RSA", "RSASSA-PSS" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> publicKey.getAlgorithm();
        };
        try {
            var signer = Signature.getInstance(algorithm);
            signer.initSign(key);
            signer.update(probe);
            var signed = signer.sign();
            signer.initVerify(publicKey);
            signer.update(probe);
            return signer.verify(signed);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    /** Never the key. */
    @Override
    public String toString() {
        return "Identity[" + certificate().getSubjectX500Principal() + "]";
    }
}
