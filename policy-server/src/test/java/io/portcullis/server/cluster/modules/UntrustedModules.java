package io.portcullis.server.cluster.modules;

import io.portcullis.artifacts.PinnedModules;
import io.portcullis.artifacts.cache.CacheTrust;
import io.portcullis.artifacts.cache.SharedCache;
import io.portcullis.artifacts.cache.SigningIdentity;
import io.portcullis.artifacts.failure.ArtifactException;
import io.portcullis.artifacts.http.Transport;
import io.portcullis.artifacts.oci.PolicyArtifacts;
import io.portcullis.artifacts.oci.RegistryClient;
import io.portcullis.artifacts.oci.credentials.DockerConfig;
import io.portcullis.artifacts.verify.PolicyVerification;
import io.portcullis.server.cluster.revisions.RevisionStatements;
import java.nio.file.Path;
import java.time.Clock;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Creates modules with a cache that trusts no signer, so that every lookup misses. */
public final class UntrustedModules {

    private UntrustedModules() {}

    /** Creates statements without a signing key and without trusted authorities. */
    public static RevisionStatements statements(InstantSource clock) {
        return new RevisionStatements(
                "s",
                () -> {
                    throw new ArtifactException(ArtifactException.Reason.LOCAL_IO, "no key");
                },
                () -> new CacheTrust(List.of(), "untrusted"),
                clock);
    }

    public static RevisionModules in(Path directory, Transport transport, Supplier<SigningIdentity> signer) {
        return in(directory, transport, signer, Optional.empty());
    }

    /** @param verification verifies modules from registries; modules from web servers have no signatures */
    public static RevisionModules in(
            Path directory,
            Transport transport,
            Supplier<SigningIdentity> signer,
            Optional<PolicyVerification> verification) {
        return around(
                new SharedCache(
                        directory.resolve("cache"),
                        signer,
                        () -> new CacheTrust(List.of(), "untrusted"),
                        (_, _) -> {},
                        Clock.systemUTC()),
                directory,
                transport,
                verification);
    }

    /** Creates modules with the given cache. */
    public static RevisionModules around(
            SharedCache cache, Path directory, Transport transport, Optional<PolicyVerification> verification) {
        var client = new RegistryClient(transport, DockerConfig.load(Optional.empty(), Map.of()), Clock.systemUTC());
        return new RevisionModules(
                cache, new PinnedModules(transport, new PolicyArtifacts(client), verification, directory, 1 << 20));
    }
}
