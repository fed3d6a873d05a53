package io.portcullis.process.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/** A certificate, its intermediate certificates, and the matching private key. */
public record Identity(List<X509Certificate> chain, PrivateKey key) {

    public Identity {
        chain = List.copyOf(chain);
    }

    static Identity load(Path certificateFile, Path keyFile) {
        return of(Pem.read(certificateFile), Pem.read(keyFile));
    }

    /**
     * Parses certificate and key from PEM text.
     *
     * @param source the name of the source in error messages
     * @throws TlsException when they cannot be read or do not match
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

    /** Returns key managers that present this identity as a client certificate. */
    public KeyManager[] keyManagers() {
        try {
            var store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            store.setKeyEntry("identity", key, new char[0], chain.toArray(X509Certificate[]::new));
            var factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, new char[0]);
            return factory.getKeyManagers();
        } catch (GeneralSecurityException | IOException e) {
            throw new TlsException("cannot be used as a client's identity: " + e.getMessage(), e);
        }
    }

    /** Signs bytes with the key and verifies them with the certificate, which works for every kind of key. */
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

    /** Omits the key. */
    @Override
    public String toString() {
        return "Identity[" + certificate().getSubjectX500Principal() + "]";
    }
}
