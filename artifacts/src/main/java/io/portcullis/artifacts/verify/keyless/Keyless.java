package io.portcullis.artifacts.verify.keyless;

import io.portcullis.artifacts.verify.signature.Candidate;
import io.portcullis.artifacts.verify.signature.UntrustedException;
import io.portcullis.artifacts.verify.trust.CertificateChain;
import io.portcullis.artifacts.verify.trust.SignatureKeys;
import io.portcullis.artifacts.verify.trust.TrustRoot;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Verifies signatures that come with a certificate instead of a known key. Checks every link of the chain. */
public final class Keyless {

    private static final String CODE_SIGNING = "1.3.6.1.5.5.7.3.3";

    private final TrustRoot root;
    private final TransparencyLog log;
    private final CertificateTransparency certificateLog;

    public Keyless(TrustRoot root) {
        this.root = root;
        this.log = new TransparencyLog(root);
        this.certificateLog = new CertificateTransparency(root);
    }

    /** @return the signer's identity */
    public Signer signer(Candidate candidate) throws UntrustedException {
        if (candidate.evidence().certificates().isEmpty()) {
            throw new UntrustedException("the signature comes without a certificate");
        }
        var certificate = candidate.evidence().certificates().getFirst();
        checkSignature(candidate, certificate);
        var time = time(candidate, certificate);
        var issuer = checkChain(candidate, certificate, time);
        checkUsage(certificate);
        certificateLog.check(certificate, issuer);
        return Signer.of(certificate);
    }

    /**
     * Returns the time of the signature. A certificate that is valid for ten minutes needs trusted evidence of the
     * time. When several logs or authorities give a time, each of them must lie within the life of the certificate.
     */
    public Instant time(Candidate candidate, X509Certificate certificate) throws UntrustedException {
        if (candidate.evidence().entries().isEmpty()) {
            throw new UntrustedException("the signature is not logged");
        }
        Instant time = null;
        for (var entry : candidate.evidence().entries()) {
            var logged = log.check(entry);
            EntryBody.checkBinds(entry.body(), candidate, certificate);
            if (logged.isPresent()) {
                checkLife(certificate, logged.get());
                time = logged.get();
            }
        }
        for (var timestamp : candidate.evidence().timestamps()) {
            time = new TimestampToken(root).check(timestamp, candidate.signature());
            checkLife(certificate, time);
        }
        if (time == null) {
            throw new UntrustedException("nothing trusted says when the signature was made");
        }
        return time;
    }

    private static void checkLife(X509Certificate certificate, Instant time) throws UntrustedException {
        if (time.isBefore(certificate.getNotBefore().toInstant())
                || time.isAfter(certificate.getNotAfter().toInstant())) {
            throw new UntrustedException("the signature was made outside the life of its certificate");
        }
    }

    public static void checkSignature(Candidate candidate, X509Certificate certificate) throws UntrustedException {
        if (!SignatureKeys.verifies(certificate.getPublicKey(), candidate.signed(), candidate.signature())) {
            throw new UntrustedException("the signature is not by the key of its certificate");
        }
    }

    private X509Certificate checkChain(Candidate candidate, X509Certificate certificate, Instant time)
            throws UntrustedException {
        var anchors = new HashSet<X509Certificate>();
        var others = new HashSet<>(candidate.evidence().certificates());
        for (var authority : root.certificateAuthorities()) {
            if (authority.validFor().contains(time)) {
                anchors.add(authority.anchor());
                others.addAll(authority.chain());
            }
        }
        if (anchors.isEmpty()) {
            throw new UntrustedException("no certificate authority was trusted at the time of the signature");
        }
        try {
            return CertificateChain.issuer(certificate, Set.copyOf(anchors), List.copyOf(others), time);
        } catch (GeneralSecurityException e) {
            throw new UntrustedException("the certificate is not by a trusted authority", e);
        }
    }

    private static void checkUsage(X509Certificate certificate) throws UntrustedException {
        try {
            var usage = certificate.getKeyUsage();
            var extended = certificate.getExtendedKeyUsage();
            if (usage == null || !usage[0] || extended == null || !extended.contains(CODE_SIGNING)) {
                throw new UntrustedException("the certificate is not for signing code");
            }
        } catch (CertificateParsingException e) {
            throw new UntrustedException("the certificate's usage is malformed", e);
        }
    }
}
