package io.portcullis.artifacts.cache;

import io.portcullis.artifacts.verify.trust.CertificateChain;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;

/**
 * Decides which signing certificates a cache accepts.
 *
 * @param authorities the internal CA, and during a rotation also its predecessor
 * @param commonName of the PolicyServer that owns the cache; signatures of other servers are rejected
 */
public record CacheTrust(List<X509Certificate> authorities, String commonName) {

    private static final String CODE_SIGNING = "1.3.6.1.5.5.7.3.3";

    public CacheTrust {
        authorities = List.copyOf(authorities);
    }

    /** @throws GeneralSecurityException with the reason why the cache rejects this certificate now */
    void check(X509Certificate certificate, Instant now) throws GeneralSecurityException {
        var usage = certificate.getExtendedKeyUsage();
        if (usage == null || !usage.contains(CODE_SIGNING)) {
            throw new GeneralSecurityException("the signing certificate is not for signing code");
        }
        if (!commonName.equals(commonNameOf(certificate))) {
            throw new GeneralSecurityException("signed by another server: " + commonNameOf(certificate));
        }
        if (authorities.isEmpty()) {
            throw new GeneralSecurityException("no authority is trusted");
        }
        try {
            CertificateChain.issuer(certificate, Set.copyOf(authorities), List.of(), now);
        } catch (GeneralSecurityException e) {
            throw new GeneralSecurityException("the signing certificate is expired or not by our authority", e);
        }
    }

    private static String commonNameOf(X509Certificate certificate) {
        try {
            return new LdapName(certificate.getSubjectX500Principal().getName())
                    .getRdns().stream()
                            .filter(part -> part.getType().equalsIgnoreCase("CN"))
                            .map(part -> String.valueOf(part.getValue()))
                            .findFirst()
                            .orElse("");
        } catch (InvalidNameException e) {
            return "";
        }
    }
}
