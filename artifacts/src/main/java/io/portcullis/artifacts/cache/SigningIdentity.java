package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.CertificateAuthorities;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** The certificate and private key with which a PolicyServer signs cached files. ECDSA on P-256. */
public record SigningIdentity(X509Certificate certificate, PrivateKey key) {

    private static final Pattern PEM =
            Pattern.compile("-----BEGIN (EC |)PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END (EC |)PRIVATE KEY-----");
    // INTEGER 0, SEQUENCE { ecPublicKey, prime256v1 }: the header that PKCS#8 contains and SEC1 omits.
    private static final byte[] P256_HEADER =
            HexFormat.of().parseHex("020100301306072a8648ce3d020106082a8648ce3d030107");
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;

    /** @param keyPem SEC1 (written by the controller) or PKCS#8 */
    public static SigningIdentity parse(String certificatePem, String keyPem) {
        var matcher = PEM.matcher(keyPem);
        if (!matcher.find()) {
            throw new ArtifactException(
                    Reason.LOCAL_IO, "the cache's signing key is not a private key in PEM encoding");
        }
        try {
            var der = Base64.getMimeDecoder().decode(matcher.group(2));
            var pkcs8 = matcher.group(1).isEmpty() ? der : wrap(der);
            var key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            var certificate = CertificateAuthorities.parse(certificatePem.getBytes(StandardCharsets.UTF_8))
                    .getFirst();
            return new SigningIdentity(certificate, key);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            // Omit the cause, because its message may contain the key.
            throw new ArtifactException(Reason.LOCAL_IO, "the cache's signing key is not an EC key");
        }
    }

    private static byte[] wrap(byte[] sec1) {
        var inner = new ByteArrayOutputStream();
        inner.writeBytes(P256_HEADER);
        writeElement(inner, OCTET_STRING, sec1);
        var outer = new ByteArrayOutputStream();
        writeElement(outer, SEQUENCE, inner.toByteArray());
        return outer.toByteArray();
    }

    private static void writeElement(ByteArrayOutputStream out, int tag, byte[] content) {
        out.write(tag);
        if (content.length > 0x7f) {
            out.write(0x81); // A P-256 key stays below 256 bytes.
        }
        out.write(content.length);
        out.writeBytes(content);
    }

    byte[] sign(byte[] content) {
        try {
            var signature = Signature.getInstance("SHA256withECDSA");
            signature.initSign(key);
            signature.update(content);
            return signature.sign();
        } catch (GeneralSecurityException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot sign for the cache", e);
        }
    }

    /** Returns a text without the private key. */
    @Override
    public String toString() {
        return "SigningIdentity[" + certificate.getSubjectX500Principal() + "]";
    }
}
