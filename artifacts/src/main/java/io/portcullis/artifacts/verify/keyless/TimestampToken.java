package io.portcullis.artifacts.verify.keyless;

import io.portcullis.api.der.DerElement;
import io.portcullis.api.der.MalformedDerException;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.CertificateChain;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

/**
 * Checks RFC 3161 timestamp responses. A response is a CMS message, signed by a trusted authority, with the hash of
 * the stamped data and a time. Sigstore's newer logs do not sign times, so bundles contain these responses instead.
 */
final class TimestampToken {

    private static final String TIME_STAMPING = "1.3.6.1.5.5.7.3.8";
    private static final byte[] MESSAGE_DIGEST = HexFormat.of().parseHex("2a864886f70d010904");
    private static final byte[] CONTENT_TYPE = HexFormat.of().parseHex("2a864886f70d010903");
    private static final byte[] TST_INFO = HexFormat.of().parseHex("2a864886f70d0109100104");
    private static final int TAGGED_0 = 0xa0;

    private final TrustRoot root;

    TimestampToken(TrustRoot root) {
        this.root = root;
    }

    /** @return the time at which the authority stamped these bytes */
    Instant check(byte[] response, byte[] stamped) throws UntrustedException {
        try {
            return read(response, stamped);
        } catch (MalformedDerException e) {
            throw UntrustedException.malformed(e);
        }
    }

    private Instant read(byte[] response, byte[] stamped) throws UntrustedException {
        var signedData = DerElement.only(response)
                .child(1, DerElement.SEQUENCE)
                .child(1, TAGGED_0)
                .child(0, DerElement.SEQUENCE);
        var content = signedData.child(2, DerElement.SEQUENCE);
        if (!Arrays.equals(content.child(0, DerElement.OID).content(), TST_INFO)) {
            throw new UntrustedException("the time stamp holds something else");
        }
        var info = content.child(1, TAGGED_0).child(0, DerElement.OCTET_STRING).content();
        var statement = DerElement.only(info);
        checkImprint(statement.child(2, DerElement.SEQUENCE), stamped);
        var time = time(statement.child(4, DerElement.GENERALIZED_TIME));
        var signerInfos = signedData.children().getLast();
        checkSigned(signerInfos.child(0, DerElement.SEQUENCE), info, time);
        return time;
    }

    private static void checkImprint(DerElement imprint, byte[] stamped) throws UntrustedException {
        var hash = hash(imprint.child(0, DerElement.SEQUENCE)).digest(stamped);
        if (!MessageDigest.isEqual(
                hash, imprint.child(1, DerElement.OCTET_STRING).content())) {
            throw new UntrustedException("the time stamp is for another signature");
        }
    }

    private void checkSigned(DerElement signerInfo, byte[] info, Instant time) throws UntrustedException {
        var digestAlgorithm = signerInfo.child(2, DerElement.SEQUENCE);
        var attributes = signerInfo.child(3, TAGGED_0);
        var contentHash = attribute(attributes, MESSAGE_DIGEST)
                .child(0, DerElement.OCTET_STRING)
                .content();
        if (!MessageDigest.isEqual(contentHash, hash(digestAlgorithm).digest(info))
                || !Arrays.equals(
                        attribute(attributes, CONTENT_TYPE)
                                .child(0, DerElement.OID)
                                .content(),
                        TST_INFO)) {
            throw new UntrustedException("the time stamp's signature is over something else");
        }
        // The signature covers the attributes with a SET tag, which differs from the tag in the message.
        var signed = DerElement.of(DerElement.SET, attributes.content()).encoded();
        var signature = signerInfo.child(5, DerElement.OCTET_STRING).content();
        for (var authority : root.timestampAuthorities()) {
            var stampingCertificate = authority.chain().getFirst();
            if (authority.validFor().contains(time)
                    && verifies(stampingCertificate, hash(digestAlgorithm).getAlgorithm(), signed, signature)) {
                checkStampingCertificate(stampingCertificate, authority, time);
                return;
            }
        }
        throw new UntrustedException("the time stamp is not by a known authority");
    }

    private static DerElement attribute(DerElement attributes, byte[] id) throws UntrustedException {
        for (var attribute : attributes.children()) {
            if (Arrays.equals(attribute.child(0, DerElement.OID).content(), id)) {
                return attribute.child(1, DerElement.SET);
            }
        }
        throw new UntrustedException("the time stamp lacks a signed attribute");
    }

    private static boolean verifies(X509Certificate stampingCertificate, String hash, byte[] signed, byte[] signature) {
        var key = stampingCertificate.getPublicKey();
        var scheme = hash.replace("-", "") + "with" + (key.getAlgorithm().equals("EC") ? "ECDSA" : "RSA");
        try {
            var verifier = Signature.getInstance(scheme);
            verifier.initVerify(key);
            verifier.update(signed);
            return verifier.verify(signature);
        } catch (GeneralSecurityException e) {
            return false;
        }
    }

    private static void checkStampingCertificate(
            X509Certificate stampingCertificate, TrustRoot.Authority authority, Instant time)
            throws UntrustedException {
        try {
            var usage = stampingCertificate.getExtendedKeyUsage();
            if (usage == null || !usage.contains(TIME_STAMPING)) {
                throw new UntrustedException("the authority's certificate is not for time stamps");
            }
            if (!stampingCertificate.equals(authority.anchor())) {
                CertificateChain.issuer(stampingCertificate, Set.of(authority.anchor()), authority.chain(), time);
            }
        } catch (GeneralSecurityException e) {
            throw new UntrustedException("the time stamp's certificate is not by a trusted authority", e);
        }
    }

    private static MessageDigest hash(DerElement algorithm) throws UntrustedException {
        var id = HexFormat.of().formatHex(algorithm.child(0, DerElement.OID).content());
        var name = switch (id) {
            case "608648016503040201" -> "SHA-256";
            case "608648016503040202" -> "SHA-384";
            case "608648016503040203" -> "SHA-512";
            default -> throw new UntrustedException("the time stamp uses an unknown hash");
        };
        try {
            return MessageDigest.getInstance(name);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + name, e);
        }
    }

    private static Instant time(DerElement time) throws UntrustedException {
        var text = new String(time.content(), StandardCharsets.US_ASCII);
        try {
            return LocalDateTime.parse(text, DateTimeFormatter.ofPattern("yyyyMMddHHmmss[.SSS][.SS][.S]'Z'"))
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            throw new UntrustedException("the time stamp has no time", e);
        }
    }
}
