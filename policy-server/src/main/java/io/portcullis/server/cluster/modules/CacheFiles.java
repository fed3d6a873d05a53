package io.portcullis.server.cluster.modules;

import io.portcullis.api.policyserver.PolicyServerNames;
import io.portcullis.artifacts.cache.CacheTrust;
import io.portcullis.artifacts.cache.SigningIdentity;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.failure.ArtifactException.Reason;
import io.portcullis.artifacts.source.CertificateAuthorities;
import io.portcullis.server.settings.ClusterSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the signing identity and the trusted authorities of the cache. Reads the mounted Secrets on every call, because they
 * rotate.
 */
public record CacheFiles(ClusterSettings.Cache files, String policyServer) {

    public SigningIdentity signer() {
        return SigningIdentity.parse(
                new String(read(files.signerCertificate()), StandardCharsets.UTF_8),
                new String(read(files.signerKey()), StandardCharsets.UTF_8));
    }

    /** Reads the current authority, and the previous one if its file exists. */
    public CacheTrust trust() {
        List<X509Certificate> authorities = new ArrayList<>(
                CertificateAuthorities.parse(read(files.authorities().resolve("ca.crt"))));
        var old = files.authorities().resolve("old-ca.crt");
        if (Files.exists(old)) {
            authorities.addAll(CertificateAuthorities.parse(read(old)));
        }
        return new CacheTrust(authorities, PolicyServerNames.cacheSigner(policyServer));
    }

    private static byte[] read(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "file not found: " + file, e);
        } catch (IOException e) {
            throw new ArtifactException(Reason.LOCAL_IO, "cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
