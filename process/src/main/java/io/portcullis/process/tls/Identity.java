package io.portcullis.process.tls;

import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;

/** Who a server is: a certificate, the intermediates that vouch for it, and the key. They belong together. */
record Identity(List<X509Certificate> chain, PrivateKey key) {

    Identity {
        chain = List.copyOf(chain);
    }

    static Identity load(Path certificateFile, Path keyFile) {
        var identity = new Identity(Pem.read(certificateFile).certificates(), PrivateKeys.read(keyFile));
        if (!identity.keyMatchesCertificate()) {
            throw new TlsException(
                    "the key in " + keyFile + " does not belong to the certificate in " + certificateFile, null);
        }
        return identity;
    }

    X509Certificate certificate() {
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
}
