package io.portcullis.artifacts.verify.keyless;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.artifacts.source.Digest;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.SignatureKeys;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Checks that a trusted certificate transparency log recorded a certificate. One embedded timestamp (SCT, RFC 6962
 * §3.2) must be signed by such a log. The signature covers the certificate without its timestamps.
 */
final class CertificateTransparency {

    private static final String EXTENSION = "1.3.6.1.4.1.11129.2.4.2";
    private static final byte[] EXTENSION_ID = {0x2b, 6, 1, 4, 1, (byte) 0xd6, 0x79, 2, 4, 2};
    private static final int EXTENSIONS_TAG = 0xa3;
    private static final int PRECERTIFICATE = 1;

    private record Stamp(byte[] logId, long time, byte[] extensions, byte[] signature) {}

    private final TrustRoot root;

    CertificateTransparency(TrustRoot root) {
        this.root = root;
    }

    void check(X509Certificate certificate, X509Certificate issuer) throws UntrustedException {
        var extension = certificate.getExtensionValue(EXTENSION);
        if (extension == null) {
            throw new UntrustedException("the certificate is not stamped by a certificate log");
        }
        try {
            var precertificate = withoutStamps(certificate.getTBSCertificate());
            var issuerKeyHash = Digest.newSha256().digest(issuer.getPublicKey().getEncoded());
            for (var stamp :
                    stamps(DerElement.only(DerElement.only(extension).content()).content())) {
                var log = root.certificateLog(stamp.logId());
                if (log.isPresent()
                        && log.get().validFor().contains(Instant.ofEpochMilli(stamp.time()))
                        && SignatureKeys.verifies(
                                log.get().key(), signed(stamp, issuerKeyHash, precertificate), stamp.signature())) {
                    return;
                }
            }
        } catch (MalformedDerException e) {
            throw UntrustedException.malformed(e);
        } catch (CertificateEncodingException | BufferUnderflowException e) {
            throw new UntrustedException("the certificate's stamps are malformed", e);
        }
        throw new UntrustedException("no known certificate log has stamped this certificate");
    }

    private static List<Stamp> stamps(byte[] list) {
        var buffer = ByteBuffer.wrap(vector(ByteBuffer.wrap(list)));
        var stamps = new ArrayList<Stamp>();
        while (buffer.hasRemaining()) {
            var one = ByteBuffer.wrap(vector(buffer));
            if (one.get() != 0) {
                continue; // unknown version
            }
            var logId = new byte[32];
            one.get(logId);
            long time = one.getLong();
            var extensions = vector(one);
            one.getShort(); // skip the algorithms; the log's key determines them
            stamps.add(new Stamp(logId, time, extensions, vector(one)));
        }
        return stamps;
    }

    private static byte[] vector(ByteBuffer buffer) {
        var bytes = new byte[Short.toUnsignedInt(buffer.getShort())];
        buffer.get(bytes);
        return bytes;
    }

    private static byte[] withoutStamps(byte[] certificate) {
        var parts = new ArrayList<DerElement>();
        for (var part : DerElement.only(certificate).children()) {
            parts.add(part.tag() == EXTENSIONS_TAG ? withoutStamps(part) : part);
        }
        return DerElement.of(DerElement.SEQUENCE, parts).encoded();
    }

    private static DerElement withoutStamps(DerElement extensions) {
        var kept = new ArrayList<DerElement>();
        for (var extension : extensions.child(0, DerElement.SEQUENCE).children()) {
            if (!Arrays.equals(extension.child(0, DerElement.OID).content(), EXTENSION_ID)) {
                kept.add(extension);
            }
        }
        return DerElement.of(EXTENSIONS_TAG, List.of(DerElement.of(DerElement.SEQUENCE, kept)));
    }

    private static byte[] signed(Stamp stamp, byte[] issuerKeyHash, byte[] precertificate) {
        var bytes = new ByteArrayOutputStream();
        try (var out = new DataOutputStream(bytes)) {
            out.writeByte(0); // version 1
            out.writeByte(0); // certificate_timestamp
            out.writeLong(stamp.time());
            out.writeShort(PRECERTIFICATE);
            out.write(issuerKeyHash);
            out.writeByte(precertificate.length >> 16);
            out.writeShort(precertificate.length);
            out.write(precertificate);
            out.writeShort(stamp.extensions().length);
            out.write(stamp.extensions());
        } catch (IOException e) {
            throw new IllegalStateException("memory does not fail", e);
        }
        return bytes.toByteArray();
    }
}
