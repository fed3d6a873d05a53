package io.portcullis.server.cluster.revisions;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.portcullis.api.json.CanonicalJson;
import io.portcullis.api.revision.PolicyRevisionStatus.Artifact;
import io.portcullis.api.time.Pause;
import io.portcullis.artifacts.cache.CacheTrust;
import io.portcullis.artifacts.cache.SignedStatement;
import io.portcullis.artifacts.cache.SigningIdentity;
import io.portcullis.artifacts.failure.ArtifactException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Signs and checks the leader's statement about a revision: which modules it resolved, by digest. Replicas load a digest
 * only with this statement, because every account that may write the status of a revision could put a digest there.
 * Thread-safe.
 */
public final class RevisionStatements {

    private static final String KIND = "portcullis revision v1";

    /** The signing certificate changes about once a year, so the file is not read on every call. */
    private static final Duration CERTIFICATE_AGE = Duration.ofSeconds(30);

    private final String policyServer;
    private final Supplier<SigningIdentity> signer;
    private final Supplier<CacheTrust> trust;
    private final InstantSource clock;
    private volatile @Nullable RecentCertificate recent;

    private record RecentCertificate(Optional<X509Certificate> certificate, Pause validity) {}

    /**
     * Signs with the identity of the server's cache.
     *
     * @param trust the authorities whose statements are valid
     */
    public RevisionStatements(
            String policyServer, Supplier<SigningIdentity> signer, Supplier<CacheTrust> trust, InstantSource clock) {
        this.policyServer = policyServer;
        this.signer = signer;
        this.trust = trust;
        this.clock = clock;
    }

    /**
     * Signs the statement that a revision resolves to these modules.
     *
     * @throws ArtifactException when the signing key cannot be read
     */
    public String sign(ObservedRevision revision, List<Artifact> artifacts) {
        return SignedStatement.sign(statement(revision, artifacts), signer.get());
    }

    /** Returns why the leader's statement about the modules in the status is not valid; empty if it is valid. */
    public Optional<String> problem(ObservedRevision revision) {
        var signature = revision.statement();
        if (signature.isEmpty()) {
            return Optional.of("the leader has not signed the digests");
        }
        try {
            SignedStatement.check(
                    signature.get(), statement(revision, revision.status().artifacts()), trust.get(), clock.instant());
            return Optional.empty();
        } catch (GeneralSecurityException e) {
            return Optional.of("the leader's signature of the digests is not valid: " + e.getMessage());
        }
    }

    /**
     * Whether the statement of a revision uses the current signing certificate. Also true when the certificate cannot be
     * read, because then this process cannot sign. Does not check the signature.
     */
    public boolean isCurrent(ObservedRevision revision) {
        var certificate = certificate();
        return certificate.isEmpty()
                || revision.statement()
                        .filter(signature -> SignedStatement.isBy(signature, certificate.get()))
                        .isPresent();
    }

    private Optional<X509Certificate> certificate() {
        var now = clock.instant();
        var cached = recent;
        if (cached == null || cached.validity().isOver(now)) {
            cached = new RecentCertificate(read(), Pause.of(now, CERTIFICATE_AGE));
            recent = cached;
        }
        return cached.certificate();
    }

    private Optional<X509Certificate> read() {
        try {
            return Optional.of(signer.get().certificate());
        } catch (ArtifactException e) {
            return Optional.empty();
        }
    }

    /** Builds the signed text. It contains a digest of canonical JSON, so that no value can pass for another field. */
    private byte[] statement(ObservedRevision revision, List<Artifact> artifacts) {
        var content = JsonNodeFactory.instance.objectNode();
        content.put("policyServer", policyServer);
        content.put("revision", revision.name());
        content.put("generation", revision.generation());
        content.put("dataHash", revision.spec().dataHash());
        var modules = content.putArray("modules");
        artifacts.forEach(artifact -> modules.addObject()
                .put("member", Objects.requireNonNullElse(artifact.member(), ""))
                .put("module", artifact.module())
                .put("digest", artifact.digest()));
        return (KIND + "\n" + CanonicalJson.digest(content) + "\n").getBytes(StandardCharsets.UTF_8);
    }
}
